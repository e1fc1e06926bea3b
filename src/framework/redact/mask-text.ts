// Masks secrets in running text: URLs anywhere in it, `password=…` and `"password": "…"`, and what shows by its form. Every
// step walks the text once; callers bound its length.

import { maskUrl } from './mask-url.ts'
import { mask, mayHoldCardNumber, mayHoldSecret, valuePatterns, type ValuePattern } from './rules.ts'
import type { SensitiveKeys } from './sensitive-key.ts'

/** Masks a text: what stands in URLs and behind sensitive names, and what shows by its form. */
export function maskText(text: string, keys: SensitiveKeys, patterns: PatternList): string {
  let masked = text
  if (masked.includes('://')) masked = maskUrls(masked, keys)
  if (masked.includes('=') || masked.includes(':')) masked = maskAssignments(masked, keys)
  return maskPatterns(masked, patterns)
}

/** Secrets by their form: the built-in ones and those of an application. */
export interface PatternList {
  /** Patterns without a hint: tried on every text. */
  readonly added: readonly ValuePattern[]
}

/** Masks what shows by its form, whatever stands around it. */
export function maskPatterns(text: string, { added }: PatternList): string {
  let masked = text
  if (mayHoldSecret.test(text) || mayHoldCardNumber.test(text)) masked = maskEach(masked, valuePatterns)
  return added.length === 0 ? masked : maskEach(masked, added)
}

function maskEach(text: string, patterns: readonly ValuePattern[]): string {
  let masked = text
  for (const pattern of patterns) masked = maskPattern(masked, pattern)
  return masked
}

const longestScheme = 20

// A URL reaches from its scheme to the first character that cannot be in one. The scheme is looked for backwards from
// `://`, because forwards every word of the text would have to be tried.
function maskUrls(text: string, keys: SensitiveKeys): string {
  let result = ''
  let done = 0
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', Math.max(done, colon + 3))) {
    let start = colon
    while (start > done && colon - start < longestScheme && isSchemeCharacter(text.charCodeAt(start - 1))) start -= 1
    if (start === colon) continue
    let end = colon + 3
    while (end < text.length && isUrlCharacter(text.charCodeAt(end))) end += 1
    result += text.slice(done, start) + maskUrl(text.slice(start, end), keys)
    done = end
  }
  return done === 0 ? text : result + text.slice(done)
}

/** Masks what stands behind a sensitive name: `password=…`, `"token": "…"`, `secret: '…'`. */
export function maskAssignments(text: string, keys: SensitiveKeys): string {
  let result = ''
  let done = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character !== equalsSign && (character !== colonSign || !isBesideQuote(text, at))) continue
    const name = nameBefore(text, at, done)
    if (name.text === '' || !keys.matches(decodeName(name.text))) continue
    const value = valueAfter(text, at + 1)
    const isAssigned = character === equalsSign || name.isQuoted || value.isQuoted
    if (!isAssigned || value.end === value.start || text.startsWith(mask, value.start)) continue
    result += text.slice(done, value.start) + mask
    done = value.end
    at = Math.max(at, done - 1)
  }
  return done === 0 ? text : result + text.slice(done)
}

// Prose is full of colons: `Unknown key: a`. Only beside a quote does one stand between a name and its value.
function isBesideQuote(text: string, colon: number): boolean {
  const before = text.charCodeAt(colon - 1)
  if (isQuote(before) || (before === space && isQuote(text.charCodeAt(colon - 2)))) return true
  let after = colon + 1
  while (after < colon + 8 && (text.charCodeAt(after) === space || text.charCodeAt(after) === backslash)) after += 1
  return isQuote(text.charCodeAt(after))
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60
}

const space = 0x20
const backslash = 0x5c
const equalsSign = 0x3d
const colonSign = 0x3a
const longestName = 80

function nameBefore(text: string, at: number, from: number): { text: string; isQuoted: boolean } {
  let end = at
  while (end > from && (text[end - 1] === ' ' || text[end - 1] === '\\') && at - end < 8) end -= 1
  const isQuoted = end > from && (text[end - 1] === '"' || text[end - 1] === "'")
  if (isQuoted) {
    end -= 1
    while (end > from && text[end - 1] === '\\') end -= 1
  }
  let start = end
  while (start > from && end - start < longestName && isNameCharacter(text.charCodeAt(start - 1))) start -= 1
  return { text: text.slice(start, end), isQuoted }
}

function valueAfter(text: string, at: number): { start: number; end: number; isQuoted: boolean } {
  let start = at
  while (start < text.length && (text[start] === ' ' || text[start] === '\\') && start - at < 8) start += 1
  const quote = text[start]
  if (quote === '"' || quote === "'" || quote === '`') {
    start += 1
    let end = start
    while (end < text.length && text[end] !== quote) end += text[end] === '\\' && text[end + 1] !== quote ? 2 : 1
    end = Math.min(end, text.length)
    while (end > start && text[end - 1] === '\\') end -= 1
    return { start, end, isQuoted: true }
  }
  let end = start
  while (end < text.length && isValueCharacter(text.charCodeAt(end))) end += 1
  return { start, end, isQuoted: false }
}

function maskPattern(text: string, { pattern, isSecret }: ValuePattern): string {
  return text.replace(pattern, (match: string, kept: unknown) => {
    if (isSecret !== undefined && !isSecret(match)) return match
    return (typeof kept === 'string' ? kept : '') + mask
  })
}

function decodeName(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function isSchemeCharacter(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e
}

function isNameCharacter(code: number): boolean {
  // letters, digits, and _ - . [ ] % $
  return (
    isLetterOrDigit(code) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5b ||
    code === 0x5d ||
    code === 0x25 ||
    code === 0x24
  )
}

// What ends a URL in running text: control characters, space, quotes and angle brackets.
function isUrlCharacter(code: number): boolean {
  return code > 0x20 && code !== 0x22 && code !== 0x27 && code !== 0x3c && code !== 0x3e && code !== 0x60
}

// What ends a bare value: the same, and & , ; ) } ].
function isValueCharacter(code: number): boolean {
  if (!isUrlCharacter(code)) return false
  return code !== 0x26 && code !== 0x2c && code !== 0x3b && code !== 0x29 && code !== 0x7d && code !== 0x5d
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}
