// Parses JSON from clients. V8's messages rarely name the place of a syntax error and may quote the document.

import { clientError } from './http-error.ts'

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

// A string without its closing quote, so that a match ends at the first wrong character.
const tokens =
  /[{}[\],:]|"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x1f]*)*|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const spaces = /[ \n\r\t]*/y
const anyValue = '"w{['

/** Offset of the first character that cannot be part of JSON; the length of the text if it ends too early. */
export function findJsonError(text: string): number {
  const closers: string[] = []
  // First characters of what may come next; `w` is a number or word.
  let allowed = anyValue
  let at = 0
  for (;;) {
    at = endOf(spaces, text, at) ?? at
    const end = endOf(tokens, text, at)
    const first = text.charAt(at)
    const kind = '{}[],:"'.includes(first) ? first : 'w'
    if (end === undefined || !allowed.includes(kind)) return at
    at = end
    if (kind === '"') {
      if (text[at] !== '"') return at
      at += 1
    }
    if (kind === '{' || kind === '[') closers.push(kind === '{' ? '}' : ']')
    else if (kind === '}' || kind === ']') closers.pop()
    if (kind === '{') allowed = '"}'
    else if (kind === '[') allowed = `${anyValue}]`
    else if (kind === ':') allowed = anyValue
    else if (kind === ',') allowed = closers.at(-1) === '}' ? '"' : anyValue
    else if (kind === '"' && allowed.startsWith('"') && !allowed.includes('w')) allowed = ':'
    else allowed = closers.length === 0 ? '' : `,${closers.at(-1)}`
  }
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Characters that are searched for an error: a search takes twenty times as long as a parser. */
const maxSearched = 32_768
/** The longest token that the end of what is searched can cut: `\u00e9`. */
const maxCut = 6

function describePlace(text: string): string {
  const offset = findJsonError(text.slice(0, maxSearched))
  if (text.length > maxSearched && offset >= maxSearched - maxCut)
    return `there is an unexpected character or end after position ${maxSearched - maxCut}`
  if (offset >= text.length) return 'it ends too early'
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return `unexpected character at position ${offset} (line ${line}, column ${column})`
}
