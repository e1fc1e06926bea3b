// Masks values by the name in front of them. Walks the text once; callers bound its length.

import { decodeComponent } from '../http/query.ts'
import { bareValue, mayBeBare } from './bare-value.ts'
import { mask } from './rules.ts'
import type { SensitiveKeys } from './sensitive-key.ts'
import { callLength, isInSql, isPlaceholder, isQualifier, isSqlName, withoutAlias } from './sql-values.ts'

/** Masks what follows a sensitive name: `password=…`, `"token": "…"`, `secret: '…'`, `X-Api-Key: …`, `<password>…</password>`. */
export function maskAssignments(text: string, keys: SensitiveKeys): string {
  let result = ''
  let done = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    const isColon = character === colonSign
    const isElement = character === greaterSign
    if (!isElement && character !== equalsSign && !isColon) continue
    // Of `==` and `===`, the last character counts; code compares with names, too.
    if (character === equalsSign && text[at + 1] === '=') continue
    const isBare = isColon && !isBesideQuote(text, at)
    if (isBare && !(mayBeBare(text, at) && isNameCharacter(text.charCodeAt(at - 1)))) continue
    // Of `!=`, `<=`, `>=` and `<>`, the second character was found.
    const isUnequal = comparison.has(text.slice(at - 1, at + 1))
    const name =
      isElement && !isUnequal ? elementName(text, at, done) : nameBefore(text, signStart(text, at, isUnequal), done)
    if (name.text === '') continue
    const decoded = decodeComponent(name.text)
    if (!keys.matches(decoded, undefined, 'x')) continue
    const isSql = !isColon && isInSql(text, name.start, name.text)
    if (isSql && !keys.matches(withoutAlias(name.text))) continue
    const value = isBare
      ? { ...(bareValue(text, at, name.start, decoded) ?? { start: 0, end: 0 }), isQuoted: false }
      : isElement && !isUnequal
        ? elementAfter(text, at + 1, name.start)
        : valueAfter(text, at + 1, isSql)
    const isAssigned = isColon ? isBare || name.isQuoted || value.isQuoted : value.isQuoted || text[at - 1] !== '='
    if (!isAssigned || value.end === value.start || text.startsWith(mask, value.start)) continue
    const said = text.slice(value.start, value.end)
    // `DATABASE_URL=postgres://…` is masked as an address.
    if (!keys.matches(decoded, undefined, said)) continue
    if (value.isQuoted ? isSql && isQualifier(text, value.end) : isName(said, isSql, keys)) continue
    result += text.slice(done, value.start) + mask
    done = value.end
    at = Math.max(at, done - 1)
  }
  return done === 0 ? text : result + text.slice(done)
}

function isName(value: string, isSql: boolean, keys: SensitiveKeys): boolean {
  if (isPlaceholder(value)) return true
  // `token = old_token`. Of other words, nobody knows whether they were meant as text.
  return isSql && (isSqlName(value) || (/^[a-z_]{1,40}$/.test(value) && keys.matches(value)))
}

// Where the `=`, `==`, `!==` begins that ends here.
function signStart(text: string, at: number, isUnequal: boolean): number {
  let start = isUnequal ? at - 1 : at
  while (at - start < 2 && text[start - 1] === '=') start -= 1
  return text[start - 1] === '!' ? start - 1 : start
}

const comparison: ReadonlySet<string> = new Set(['!=', '<=', '>=', '<>'])

// Prose is full of colons. A colon surely separates a name from a value only if one of them is quoted.
function isBesideQuote(text: string, colon: number): boolean {
  const before = text.charCodeAt(colon - 1)
  if (isQuote(before) || (before === space && isQuote(text.charCodeAt(colon - 2)))) return true
  return isQuote(text.charCodeAt(afterGap(text, colon + 1)))
}

// Blanks, line breaks, and the backslashes of text inside text: `\\n \\"`.
function afterGap(text: string, from: number): number {
  let at = from
  while (at < text.length && at - from < longestGap) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += /[nrt]/.test(text[at + 1] ?? '') ? 2 : 1
    else if (code === space || (code >= 0x09 && code <= 0x0d)) at += 1
    else break
  }
  return at
}

const longestGap = 80

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60
}

const space = 0x20
const backslash = 0x5c
const equalsSign = 0x3d
const colonSign = 0x3a
const greaterSign = 0x3e
const longestName = 80

function isGap(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\\'
}

interface Name {
  readonly start: number
  readonly text: string
  readonly isQuoted: boolean
}

function nameBefore(text: string, at: number, from: number): Name {
  let end = at
  while (end > from && isGap(text[end - 1]) && at - end < 8) end -= 1
  const isQuoted = end > from && (text[end - 1] === '"' || text[end - 1] === "'")
  // MySQL quotes names of columns so; in prose code stands in front of a colon.
  if (isQuoted || (text[end - 1] === '`' && text[at] !== ':')) {
    end = Math.max(from, end - 1)
    while (end > from && text[end - 1] === '\\') end -= 1
  }
  let start = end
  while (start > from && end - start < longestName && isNameCharacter(text.charCodeAt(start - 1))) start -= 1
  return { start, text: text.slice(start, end), isQuoted }
}

interface Value {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

// `<name>`, or the name in front of the attributes of `<name a="b">`.
function elementName(text: string, at: number, from: number): Name {
  let start = at
  while (start > from && at - start < longestTag && text[start - 1] !== '<' && text[start - 1] !== '>') start -= 1
  const [, prefix = '', name = ''] =
    /^([\w.-]{1,40}:)?([\w.-]{1,80})\s/.exec(text.slice(start, Math.min(at, start + 130))) ?? []
  if (text[start - 1] !== '<' || name === '') return nameBefore(text, at, from)
  return { start: start + prefix.length, text: name, isQuoted: false }
}

const longestTag = 500

// The text of an XML element, after its `<name>` or `<ns:name>`; empty for everything else, such as `Promise<Token>`.
function elementAfter(text: string, at: number, nameStart: number): Value {
  const before = text[nameStart - 1]
  const start = text.startsWith(cdata, at) ? at + cdata.length : at
  let end = start
  if (before === '<' || before === ':') {
    end = text.indexOf(start === at ? '<' : ']]>', start)
    if (end < 0) end = start === at ? start : text.length
    else if (start === at && text[end + 1] !== '/') end = start
  }
  return { start, end, isQuoted: false }
}

const cdata = '<![CDATA['

function valueAfter(text: string, at: number, isSql: boolean): Value {
  // `"password" => "…"`, as Ruby and PHP print it.
  const arrow = text[at] === '>' && isQuote(text.charCodeAt(afterGap(text, at + 1))) ? 1 : 0
  let start = at + arrow
  while (start < text.length && isGap(text[start]) && start - at < 8) start += 1
  const far = afterGap(text, at + arrow)
  if (isQuote(text.charCodeAt(far))) start = far
  if (isSql) for (let length = callLength(text, start); length > 0; length = callLength(text, start)) start += length
  const quote = text[start]
  if (quote === '"' || quote === "'" || quote === '`') {
    const block = quote.repeat(3)
    if (text.startsWith(block, start)) {
      const close = text.indexOf(block, start + 3)
      return { start: start + 3, end: close < 0 ? text.length : close, isQuoted: true }
    }
    start += 1
    let end = start
    // SQL doubles a quote in a text: `'it''s'`.
    const isDoubled = (): boolean => quote === "'" && text[end] === quote && text[end + 1] === quote
    while (end < text.length && (text[end] !== quote || isDoubled())) {
      end += isDoubled() || (text[end] === '\\' && text[end + 1] !== quote) ? 2 : 1
    }
    end = Math.min(end, text.length)
    while (end > start && text[end - 1] === '\\') end -= 1
    return { start, end, isQuoted: true }
  }
  let end = start
  while (end < text.length && isValueCharacter(text.charCodeAt(end))) end += 1
  // `password=decode('…')`
  if (text[end - 1] === '(' && isQuote(text.charCodeAt(end))) {
    const close = text.indexOf(text.charAt(end), end + 1)
    end = close < 0 ? text.length : close + 1
  }
  return { start, end, isQuoted: false }
}

function isNameCharacter(code: number): boolean {
  // letters, those of other languages too, digits, and _ - . [ ] % $
  return (
    isLetterOrDigit(code) ||
    (code >= 0xc0 && (code < 0x2000 || code > 0x206f) && (code < 0x3000 || code > 0x3004)) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5b ||
    code === 0x5d ||
    code === 0x25 ||
    code === 0x24
  )
}

/** A URL in running text ends at control characters, spaces, quotes and angle brackets. */
export function isUrlCharacter(code: number): boolean {
  return code > 0x20 && code !== 0x22 && code !== 0x27 && code !== 0x3c && code !== 0x3e && code !== 0x60
}

// A bare value ends there too, and at & , ; ) } ].
function isValueCharacter(code: number): boolean {
  if (!isUrlCharacter(code)) return false
  return code !== 0x26 && code !== 0x2c && code !== 0x3b && code !== 0x29 && code !== 0x7d && code !== 0x5d
}

export function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}
