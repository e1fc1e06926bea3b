// Masks secrets in running text and in URLs: behind sensitive names, percent-encoded, and by their form. Each step walks the
// text once; callers bound its length.

import { decodeComponent } from '../http/query.ts'
import { isPairedValue } from './bare-value.ts'
import { isLetterOrDigit, isUrlCharacter, maskAssignments } from './mask-assignments.ts'
import { mask, mayHoldSecret, valuePatterns, type ValuePattern } from './rules.ts'
import type { SensitiveKeys } from './sensitive-key.ts'
import { maskListed } from './sql-values.ts'

export interface TextRules {
  readonly keys: SensitiveKeys
  /** Patterns of the application, beside the built-in ones. */
  readonly patterns: readonly ValuePattern[]
}

/** Masks running text. */
export function maskText(text: string, rules: TextRules, depth = 0): string {
  const masked = text.includes('://') ? maskUrls(text, rules, depth) : maskEncoded(text, rules, depth)
  const mayHavePairs = masked.includes('[') || masked.includes('val')
  const paired = mayHavePairs ? maskPairs(masked, rules.keys) : masked
  const assigned = /[=:>]/.test(paired) ? maskAssignments(paired, rules.keys) : paired
  const isListed = assigned.includes("'") || assigned.includes('(')
  return maskPatterns(isListed ? maskListed(assigned, (name) => rules.keys.matches(name)) : assigned, rules)
}

/** The value of `{"name": "password", "value": "…"}`, `<add key="password" value="…"/>` and `["password", "…"]`. */
function maskPairs(text: string, keys: SensitiveKeys): string {
  return text.replace(pair, (match, before: string, key: string | undefined, entry: string | undefined) => {
    const value = match.slice(before.length)
    const isSecret = keys.matches(key ?? entry ?? '') && (entry === undefined || isPairedValue(entry, value))
    return isSecret && value !== '' ? before + mask : match
  })
}

const pair =
  /((?:\b(?:name|key|field|header|param)\b\\?["']?\s{0,8}[:=]\s{0,8}\\?["']([^"'\\]{1,80})\\?["'][\s,]{0,8}\\?["']?(?:value|val)\b\\?["']?\s{0,8}[:=]\s{0,8}|\[\s{0,8}\\?["']([^"'\\]{1,80})\\?["']\s{0,8},\s{0,8}(?=\\?["'][^"']{0,4096}["']\s{0,8}\]))\\?["']?)(?:(?<=")(?:[^"\\]|\\[^"])*|(?<=')(?:[^'\\]|\\[^'])*|[^\s"',}\]]{1,})/g

/**
 * Masks a URL, absolute or relative: the password of its userinfo, secret path segments and query values, and the fragment. The
 * rest stays as it is, so that the URL can be recognized.
 */
export function maskUrl(url: string, rules: TextRules): string {
  const masked = maskUrlParts(url, rules, 0)
  // A path may have parameters: `/a;jsessionid=…`.
  return maskPatterns(masked.includes(';') ? maskAssignments(masked, rules.keys) : masked, rules)
}

function maskUrlParts(url: string, rules: TextRules, depth: number): string {
  const hash = url.indexOf('#')
  const withoutFragment = hash < 0 ? url : url.slice(0, hash)
  const question = withoutFragment.indexOf('?')
  const base = maskUserinfo(question < 0 ? withoutFragment : withoutFragment.slice(0, question))
  const query = question < 0 ? '' : `?${maskQuery(withoutFragment.slice(question + 1), rules, depth)}`
  const fragment = hash < 0 || hash === url.length - 1 ? url.slice(withoutFragment.length) : `#${mask}`
  return maskEncoded(base, rules, depth) + query + fragment
}

// Everything but masked values stays as sent, percent signs included.
function maskQuery(query: string, rules: TextRules, depth: number): string {
  const pairs = query.split('&')
  const names = pairs.map(nameOf)
  let siblings: ReadonlySet<string> | undefined
  const hasSibling = (key: string): boolean => (siblings ??= new Set(names)).has(key)
  let isChanged = false
  for (let index = 0; index < pairs.length; index += 1) {
    const pair = pairs[index] ?? ''
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, equals))
    const value = pair.slice(equals + 1)
    const isNamed =
      value !== '' && equals >= 0 && rules.keys.matches(names[index] ?? '', hasSibling, decodeComponent(value))
    if (hidesSecret(name, rules, depth)) pairs[index] = mask
    else if (isNamed || hidesSecret(value, rules, depth)) pairs[index] = `${pair.slice(0, equals + 1)}${mask}`
    else continue
    isChanged = true
  }
  return isChanged ? pairs.join('&') : query
}

/** Of a pair of a query or form, decoded. */
export function nameOf(pair: string): string {
  const equals = pair.indexOf('=')
  return decodeComponent(equals < 0 ? pair : pair.slice(0, equals))
}

/** `http://user:password@host` with the password masked; other text stays. */
function maskUserinfo(text: string): string {
  const scheme = text.indexOf('//')
  if (scheme < 0 || (scheme > 0 && text[scheme - 1] !== ':')) return text
  const start = scheme + 2
  const slash = text.indexOf('/', start)
  const at = text.lastIndexOf('@', slash < 0 ? text.length : slash)
  if (at < start) return text
  const colon = text.indexOf(':', start)
  return colon < 0 || colon > at ? text : `${text.slice(0, colon + 1)}${mask}${text.slice(at)}`
}

const longestScheme = 20

// The scheme is read backwards from `://`: forwards, every word of the text would have to be tried.
function maskUrls(text: string, rules: TextRules, depth: number): string {
  let result = ''
  let done = 0
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', Math.max(done, colon + 3))) {
    let start = colon
    while (start > done && colon - start < longestScheme && isSchemeCharacter(text.charCodeAt(start - 1))) start -= 1
    if (start === colon) continue
    // `encodeURIComponent` leaves `'` as it is, so it only ends what it began.
    const isQuoted = text[start - 1] === "'"
    let end = colon + 3
    while (end < text.length && isUrlPart(text.charCodeAt(end), isQuoted)) end += 1
    result += maskEncoded(text.slice(done, start), rules, depth) + maskUrlParts(text.slice(start, end), rules, depth)
    done = end
  }
  return result + maskEncoded(text.slice(done), rules, depth)
}

function isUrlPart(code: number, isQuoted: boolean): boolean {
  return isUrlCharacter(code) || (code === 0x27 && !isQuoted)
}

function isSchemeCharacter(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e
}

/** Masks path segments and the like that hold a secret once their percent signs are decoded. */
function maskEncoded(text: string, rules: TextRules, depth: number): string {
  let result = ''
  let done = 0
  let end = 0
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', end)) {
    let start = at
    while (start > end && isPartCharacter(text.charCodeAt(start - 1), true)) start -= 1
    const isQuoted = text[start - 1] === "'"
    end = at + 1
    while (end < text.length && isPartCharacter(text.charCodeAt(end), isQuoted)) end += 1
    if (!hidesSecret(text.slice(start, end), rules, depth)) continue
    result += text.slice(done, start) + mask
    done = end
  }
  return done === 0 ? text : result + text.slice(done)
}

// All of a URL but what separates its parts: # & , / ; = ?
function isPartCharacter(code: number, isQuoted: boolean): boolean {
  if (code === 0x23 || code === 0x26 || code === 0x2c || code === 0x2f) return false
  return isUrlPart(code, isQuoted) && code !== 0x3b && code !== 0x3d && code !== 0x3f
}

/** Levels of encoding and of URLs inside URLs that are read; what is deeper is masked. */
const maxDepth = 4

function hidesSecret(encoded: string, rules: TextRules, depth: number): boolean {
  const decoded = decodeComponent(encoded)
  if (decoded === encoded && !/[:=@]/.test(encoded)) return false
  return depth >= maxDepth || maskText(decoded, rules, depth + 1) !== decoded || maskUserinfo(decoded) !== decoded
}

function maskPatterns(text: string, { patterns }: TextRules): string {
  let masked = text
  if (mayHoldSecret.test(text)) for (const pattern of valuePatterns) masked = maskPattern(masked, pattern)
  for (const pattern of patterns) masked = maskPattern(masked, pattern)
  return masked
}

function maskPattern(text: string, { pattern, isSecret }: ValuePattern): string {
  return text.replace(pattern, (match: string, kept: unknown) => {
    if (isSecret !== undefined && !isSecret(match)) return match
    return (typeof kept === 'string' ? kept : '') + mask
  })
}
