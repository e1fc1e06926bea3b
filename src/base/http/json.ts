// JSON: the place of a syntax error, which V8's messages rarely name, and of a value that JSON cannot hold.

import { clientError } from './http-error.ts'
import { types } from 'node:util'

/** The value of a JSON text; `undefined` for what is not JSON. */
export function valueOfJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Throws a 400 for an empty document, for a syntax error (with line and column), and for the key `__proto__`, which would change the
 * prototype of any object it is copied to.
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    if (text.trim() === '') throw clientError(400, 'The body is empty; a JSON document is expected')
    // No cause: V8's error quotes the body, which may hold a password.
    throw clientError(400, `The body is not valid JSON: ${describePlace(text)}`)
  }
  if (prototypeKey.test(text)) throw clientError(400, 'The body holds the JSON key "__proto__", which is not allowed')
  return value
}

// In valid JSON only the quotes inside a string follow a backslash, and only a key is followed by a colon.
const prototypeKey =
  /(?<!\\)"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/

/** Offset of the first character that cannot be part of JSON; the length of the text if it ends too early. */
export function findJsonError(text: string): number {
  let [right, wrong] = [0, text.length + 1]
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1
    if (mayBegin(text.slice(0, middle))) right = middle
    else wrong = middle
  }
  return right
}

/** Whether JSON may begin so: V8 finds nothing wrong before the end. */
function mayBegin(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const [, place] = /at position (\d+)/.exec(String(error)) ?? []
    return place === undefined ? /end of JSON input/.test(String(error)) : Number(place) === text.length
  }
}

/** Characters that are searched for an error: a search parses 15 times. */
const maxSearched = 32_768

function describePlace(text: string): string {
  const offset = findJsonError(text.slice(0, maxSearched))
  if (text.length > maxSearched && offset === maxSearched)
    return `there is an unexpected character or end after position ${maxSearched}`
  if (offset >= text.length) return 'it ends too early'
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return `unexpected character at position ${offset} (line ${line}, column ${column})`
}

interface JsonMember {
  /** `order.items[2]`; empty for the value itself. */
  readonly path: string
  readonly value: unknown
  /** Path of the same object further up, that contains this one; `null` if there is none. */
  readonly sameAs: string | null
}

const maxMembers = 20_000

/** The first member, as `JSON.stringify` walks, for which `isWanted` says yes. Never throws. */
export function findJsonMember(root: unknown, isWanted: (member: JsonMember) => boolean): JsonMember | undefined {
  const places = new Map<unknown, { readonly path: string; readonly holder: unknown }>()
  let found: JsonMember | undefined
  let seen = 0
  try {
    JSON.stringify(root, function (this: unknown, key: string, value: unknown): unknown {
      seen += 1
      if (found !== undefined || seen > maxMembers) return undefined
      const above = places.get(this)
      const path = above === undefined ? '' : joinPath(above.path, key, Array.isArray(this))
      // `toJSON` has been called; a promise has none.
      const sameAs = ancestorPath(places, this, value)
      const member = { path, value, sameAs }
      if (isWanted(member)) found = member
      if (found !== undefined || sameAs !== null || typeof value === 'bigint' || types.isPromise(value))
        return undefined
      if (typeof value === 'object' && value !== null) places.set(value, { path, holder: this })
      return value
    })
  } catch {
    // A getter or `toJSON` threw: that is what the caller reports.
  }
  return found
}

/** Notes on the error of `JSON.stringify` which member it is about: `jsonPath`, and `sameAs` for a cycle. Never throws. */
export function noteJsonPath(error: unknown, root: unknown): void {
  if (!types.isNativeError(error)) return
  const member = findJsonMember(root, ({ value, sameAs }) => typeof value === 'bigint' || sameAs !== null)
  if (member === undefined) return
  const { path, sameAs } = member
  const facts =
    sameAs === null ? { jsonPath: path || 'the value' } : { jsonPath: path, sameAs: sameAs || 'the whole value' }
  for (const [name, value] of Object.entries(facts)) {
    Object.defineProperty(error, name, { value, enumerable: true, configurable: true })
  }
}

function ancestorPath(
  places: ReadonlyMap<unknown, { readonly path: string; readonly holder: unknown }>,
  holder: unknown,
  value: unknown,
): string | null {
  if (typeof value !== 'object' || value === null || !places.has(value)) return null
  for (let above = holder; above !== undefined; above = places.get(above)?.holder) {
    if (above === value) return places.get(above)?.path ?? ''
  }
  return null
}

/** `order` and `items` give `order.items`; a member of a list `items[2]`. Long keys are cut. */
export function joinPath(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`
  if (/^[A-Za-z_$][\w$]{0,100}$/.test(key)) return path === '' ? key : `${path}.${key}`
  return `${path}[${JSON.stringify(key.slice(0, 100))}]`
}
