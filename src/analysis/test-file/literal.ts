// Writes values as JavaScript code. Recorded values can only become literals, never code.

import { hasUnseen } from '../../base/markdown-text.ts'
import { joinPath } from '../../base/http/json-path.ts'
import { missingText, type MissingValue } from '../../profiles/repeatable-request.ts'

/** Code in place of a value: an expression of ours. */
export class Expression {
  readonly code: string

  constructor(code: string) {
    this.code = code
  }
}

/** Characters of an object or a list in one line; longer ones get a line for each member. */
const maxLine = 70

/** Plain JSON, with expressions in it, as it would be typed. `indent` is that of the line it begins on. */
export function literal(value: unknown, indent = ''): string {
  if (value instanceof Expression) return value.code
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  const inner = `${indent}  `
  const members = Object.entries(value).map(([name, member]) => {
    return `${open === '[' ? '' : `${keyOf(name)}: `}${literal(member, inner)}`
  })
  const line = members.join(', ')
  if (line === '') return `${open}${close}`
  if (line.length <= maxLine && !line.includes('\n')) return `${open}${space}${line}${space}${close}`
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`
}

/** `__proto__` in brackets is a member like any other. */
function keyOf(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** In the quotes that need fewer escapes, with everything written out that an editor does not show as it is. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  return `${quote}${escaped(text).replaceAll(quote, `\\${quote}`)}${quote}`
}

/** Text between backticks, with expressions between its parts. */
export function template(parts: readonly (string | Expression)[]): Expression {
  const inner = parts.map((part) =>
    typeof part === 'string' ? escaped(part).replace(/[`$]/g, '\\$&') : `\${${part.code}}`,
  )
  return new Expression(`\`${inner.join('')}\``)
}

/** Escapes for what no editor shows as it is, and for halves of characters, which no file can hold. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replace(/[^ -~]/gu, (character) =>
      hasUnseen(character) || !character.isWellFormed()
        ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
        : character,
    )
}

interface ValueToFill {
  /** Its name in the file: `sessionCookie`. */
  readonly name: string
  /** For people: `cookie session`. */
  readonly what: string
}

/** Names values as they are asked for; the same one has one name. */
export class MissingValues {
  readonly #values = new Map<string, ValueToFill>()

  /** What was masked or cut when the request was recorded. */
  take(missing: Pick<MissingValue, 'place' | 'name'>): Expression {
    return this.#expression(wordsOf(missing), missingText(missing))
  }

  /** What was not captured, with words of our own. */
  takeOther(words: string, what: string): Expression {
    return this.#expression(words, what)
  }

  get all(): readonly ValueToFill[] {
    return [...this.#values.values()]
  }

  #expression(words: string, what: string): Expression {
    const value = this.#values.get(what) ?? { name: this.#freeName(camelCase(words)), what }
    this.#values.set(what, value)
    return new Expression(`missing.${value.name}`)
  }

  #freeName(name: string): string {
    const used = new Set(this.all.map((value) => value.name))
    let free = name
    for (let count = 2; used.has(free); count += 1) free = `${name}${count}`
    return free
  }
}

function wordsOf({ place, name }: Pick<MissingValue, 'place' | 'name'>): string {
  return place === 'path' ? 'path segment' : `${name} ${place}`
}

/** `x-api-key header` is `xApiKeyHeader`. Letters and digits of ASCII only: it is code. */
function camelCase(words: string): string {
  const parts = words.match(/[A-Za-z0-9]+/g) ?? []
  const name = parts.map(
    (part, index) => (index === 0 ? part.charAt(0).toLowerCase() : part.charAt(0).toUpperCase()) + part.slice(1),
  )
  const joined = name.join('').slice(0, 60)
  return /^[a-z]/.test(joined) ? joined : `value${joined}`
}

/** JSON with expressions in place of some texts. `fill` is asked for each text with its place, `items[0].password`; `undefined` leaves it. */
export function filled(
  value: unknown,
  fill: (text: string, path: string) => Expression | undefined,
  path = '',
): unknown {
  if (typeof value === 'string') return fill(value, path) ?? value
  if (Array.isArray(value))
    return value.map((member, index) => filled(member, fill, joinPath(path, String(index), true)))
  if (typeof value !== 'object' || value === null) return value
  // Made from entries: a member named `__proto__` stays one.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, filled(member, fill, joinPath(path, key, false))]),
  )
}
