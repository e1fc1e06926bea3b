// Masks secrets in running text and in URLs: behind sensitive names, percent-encoded, and by their form. Each step walks the
// text once; callers bound its length.

import { mask, mayHoldSecret, valuePatterns, type ValuePattern } from './rules.ts'
import { decodeComponent } from '../http/query.ts'
import { bareValue, mayBeBare, isPairedValue, type SensitiveKeys } from './sensitive-key.ts'

/** `?`, `?1` and `$1`, with a cast: no secret in any text. */
const placeholder = /^(?:\?\d{0,3}|\$\d{1,3})(?:::\w{1,30})?$/
/** `:name`, `@name`, `$name`, and words that are not literals. */
const named = /^(?:[:@$][A-Za-z_]\w{0,60}|null|true|false|default|excluded|any|all|current_\w{4,9})$/i
/** `o.id`, `public.orders.id`: names without the digits of a random text. */
const column = /^(?:[A-Za-z_]{1,40}\d{0,2}\.){1,3}[A-Za-z_]{1,40}\d{0,2}$/
/** `lower(`, in front of a value. */
const call = /^(?:[A-Za-z_]\w{0,40})?\(\s{0,4}/
/** What stands in front of the left side of a comparison or an assignment. */
const before =
  /(?:(?:^|[\s(])(?:on|where|having|when|set|and|or|not)\s{1,20}|,\s{0,20})\(*(?:["`]?\w{1,60}["`]?\.){0,3}["`]?$/i
const statement = /\b(?:select|join|where|having|update|delete|on)\b/i
const alias = /^[A-Za-z]\d?\./
/** `LIKE` and `IN (` with the texts or numbers behind them. */
const listed =
  /(?<![\w.])((?:\w{1,60}\.){0,3}\w{1,60})(["`]?\s{1,20}(?:not\s{1,20})?(?:i?like\s{0,20}|in\s{0,20}\(\s{0,20}))((?:'[^']*'?|-?\d+)(?:\s{0,20},\s{0,20}(?:'[^']*'?|-?\d+))*)/gi

/** Whether the comparison of `name` is one of SQL: its keyword stands in front of it, in a statement or a part of one. */
function isInSql(text: string, start: number, name: string): boolean {
  if (!before.test(text.slice(Math.max(0, start - 100), start))) return false
  return alias.test(name) || statement.test(text.slice(Math.max(0, start - 4096), start))
}

/** Masks the literals of `token LIKE '…'` and `token IN ('…', '…')`, by the name of the column. */
function maskListed(text: string, isSensitive: (column: string) => boolean): string {
  return text.replace(listed, (match, name: string, operator: string, values: string) => {
    return isSensitive(withoutAlias(name)) && values !== mask ? `${name}${operator}${mask}` : match
  })
}

/** Whether an unquoted right side in SQL names something: another column, a placeholder, a keyword. */
function isSqlName(value: string): boolean {
  return named.test(value) || column.test(value)
}

/** Characters of a parenthesis in front of a value, with the name of its function, or 0. */
function callLength(text: string, at: number): number {
  return call.exec(text.slice(at, at + 48))?.[0].length ?? 0
}

/** A column without the alias of its table: `id` of `s.id`, which is no session ID. */
function withoutAlias(name: string): string {
  return name.replace(alias, '')
}

/** Whether a quoted text is the first part of a column: `"o"."id"`. */
function isQualifier(text: string, end: number): boolean {
  return /^["`]\.["`\w]/.test(text.slice(end, end + 3))
}

/** Masks what follows a sensitive name: `password=…`, `"token": "…"`, `secret: '…'`, `X-Api-Key: …`, `<password>…</password>`. */
function maskAssignments(text: string, keys: SensitiveKeys): string {
  let result = ''
  let done = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    const isColon = character === colonSign
    const isElement = character === greaterSign
    if (!isElement && character !== equalsSign && !isColon) continue
    // Of `==` and `===`, the last character counts; code compares with names, too.
    if (character === equalsSign && text[at + 1] === '=') continue
    // `password => x` of Ruby and PHP; a function of JavaScript has no value there that could be a secret.
    const isArrow = character === equalsSign && text[at + 1] === '>' && !isBesideQuote(text, at + 1)
    const isBare = isArrow || (isColon && !isBesideQuote(text, at))
    if (isBare && !isArrow && !(mayBeBare(text, at) && isNameCharacter(text.charCodeAt(at - 1)))) continue
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
      ? { ...(bareValue(text, isArrow ? at + 1 : at, name.start, decoded) ?? { start: 0, end: 0 }), isQuoted: false }
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
  if (placeholder.test(value)) return true
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
function isUrlCharacter(code: number): boolean {
  return code > 0x20 && code !== 0x22 && code !== 0x27 && code !== 0x3c && code !== 0x3e && code !== 0x60
}

// A bare value ends there too, and at & , ; ) } ].
function isValueCharacter(code: number): boolean {
  if (!isUrlCharacter(code)) return false
  return code !== 0x26 && code !== 0x2c && code !== 0x3b && code !== 0x29 && code !== 0x7d && code !== 0x5d
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

export interface TextRules {
  readonly keys: SensitiveKeys
  /** Patterns of the application, beside the built-in ones. */
  readonly patterns: readonly ValuePattern[]
}

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

/** `http://user:password@host` with the password masked, and `https://token@host` with a token of no known form; other text stays. */
function maskUserinfo(text: string): string {
  const scheme = text.indexOf('//')
  if (scheme < 0 || (scheme > 0 && text[scheme - 1] !== ':')) return text
  const start = scheme + 2
  const slash = text.indexOf('/', start)
  const at = text.lastIndexOf('@', slash < 0 ? text.length : slash)
  if (at < start) return text
  const colon = text.indexOf(':', start)
  const isNamed = colon >= 0 && colon < at
  if (!isNamed && !tokenAlone.test(text.slice(start, at))) return text
  return `${text.slice(0, isNamed ? colon + 1 : start)}${mask}${text.slice(at)}`
}

/** No name of a user. */
const tokenAlone = /^(?=.{0,40}\d)[\w.~-]{20,}$/

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
