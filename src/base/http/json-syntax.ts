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
