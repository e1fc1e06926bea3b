// Parses JSON from clients, and finds the position of a syntax error: V8's messages rarely name it and may quote the document.

import { HttpError } from './http-error.ts'

/**
 * Throws a 400 for an empty document, for a syntax error (with line and column), and for the key `__proto__`, which would change the
 * prototype of any object it is copied to.
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    if (text.trim() === '') throw new HttpError(400, 'The body is empty; a JSON document is expected')
    // No cause: V8's error quotes the body, which may hold a password.
    throw new HttpError(400, `The body is not valid JSON: ${describePlace(text, findJsonError(text))}`)
  }
  if (mayNamePrototype(text) && namesPrototype(value)) {
    throw new HttpError(400, 'The body holds the JSON key "__proto__", which is not allowed')
  }
  return value
}

/** Offset of the first character that cannot be part of JSON; the length of the text if it ends too early. */
export function findJsonError(text: string): number {
  const closers: ('}' | ']')[] = []
  let at = skipSpace(text, 0)
  let expects: 'value' | 'first value' | 'key' | 'first key' | 'end' = 'value'
  for (;;) {
    const closer = closers.at(-1)
    if (expects === 'end') {
      if (closer === undefined) return at
      if (text[at] === closer) closers.pop()
      else if (text[at] === ',') expects = closer === '}' ? 'key' : 'value'
      else return at
      at += 1
    } else if ((expects === 'first key' || expects === 'first value') && text[at] === closer) {
      closers.pop()
      expects = 'end'
      at += 1
    } else if (expects === 'key' || expects === 'first key') {
      const key = scanString(text, at)
      const colon = key.isWhole ? skipSpace(text, key.end) : key.end
      if (!key.isWhole || text[colon] !== ':') return colon
      expects = 'value'
      at = colon + 1
    } else if (text[at] === '{') {
      closers.push('}')
      expects = 'first key'
      at += 1
    } else if (text[at] === '[') {
      closers.push(']')
      expects = 'first value'
      at += 1
    } else {
      const scalar = text[at] === '"' ? scanString(text, at) : scanWord(text, at)
      if (!scalar.isWhole) return scalar.end
      expects = 'end'
      at = scalar.end
    }
    at = skipSpace(text, at)
  }
}

/** A string, number or word. If it is not whole, `end` is the offset of the wrong character. */
interface Scan {
  readonly end: number
  readonly isWhole: boolean
}

/** Rules out nearly every document without a walk through its values. */
function mayNamePrototype(text: string): boolean {
  return text.includes('__p') || (text.includes('\\u00') && escapedPrototype.test(text))
}

const escapedPrototype = /"(?:_|\\u005f){2}(?:p|\\u0070)/i
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const wordPattern = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function scanString(text: string, start: number): Scan {
  if (text[start] !== '"') return { end: start, isWhole: false }
  let at = start + 1
  while (at < text.length) {
    const character = text.charCodeAt(at)
    if (character === 0x22) return { end: at + 1, isWhole: true }
    if (character < 0x20) break
    if (character === 0x5c) {
      escapePattern.lastIndex = at
      if (!escapePattern.test(text)) break
      at = escapePattern.lastIndex
    } else {
      at += 1
    }
  }
  return { end: at, isWhole: false }
}

function scanWord(text: string, start: number): Scan {
  wordPattern.lastIndex = start
  return wordPattern.test(text) ? { end: wordPattern.lastIndex, isWhole: true } : { end: start, isWhole: false }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return at
}

function describePlace(text: string, offset: number): string {
  if (offset >= text.length) return 'it ends too early'
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return `unexpected character at position ${offset} (line ${line}, column ${column})`
}

function namesPrototype(value: unknown): boolean {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next) && Object.hasOwn(next, '__proto__')) return true
    for (const member of Object.values(next)) if (typeof member === 'object') pending.push(member)
  }
  return false
}
