// Masks secrets before anything is logged, kept or shown. One redactor serves the whole application.

import {
  ValueWalker,
  showsAll,
  type ValueLimits,
  type ValueMasker,
  type ValuePrinter,
  describeProperty,
} from './walk-value.ts'
import { listedFields } from '../http/header-fields.ts'
import { isRecord } from '../options/check-options.ts'
import { readPairs } from '../http/query.ts'
import { cutText, maxReadLength } from './cut-text.ts'
import { HeaderTreatments, type HeaderTreatment, SensitiveKeys } from './sensitive-key.ts'
import { maskText, maskUrl, type TextRules } from './mask-text.ts'
import { type RedactionRules, type ValuePattern, mask, passesLuhn } from './rules.ts'

/** A JSON value. Objects of it inherit nothing, because their keys come from outside. */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue }

/** Never throws. What JSON cannot hold becomes a mark: `[Getter]`. */
export function toPlainValue(value: unknown, limits: ValueLimits = {}, masker: ValueMasker = showsAll): PlainValue {
  return new ValueWalker(plainPrinter, limits, masker).value(value)
}

/** The same for an own property, masked by its name. */
function plainProperty(holder: object, key: string, limits: ValueLimits, masker: ValueMasker): PlainValue {
  return new ValueWalker(plainPrinter, limits, masker).property(holder, key)
}

const plainPrinter: ValuePrinter<PlainValue> = {
  showsHead: false,
  string: (text) => text,
  constant: (value) =>
    value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? `[${String(value)}]` : value,
  mark: (text) => text,
  list: (_head, items) => items,
  record: (_head, fields) => recordOf(fields),
  map: (_head, entries) =>
    recordOf(entries.map(([key, value]) => [typeof key === 'string' ? key : JSON.stringify(key), value])),
}

function recordOf(fields: readonly (readonly [name: string, value: PlainValue])[]): PlainValue {
  const record = new PlainRecord()
  for (const [name, value] of fields) record[name] = value
  return record
}

/** Inherits nothing, like an object without a prototype; but V8 gives this one a hidden class, so it stays fast. */
class PlainRecord {
  [key: string]: PlainValue
  static {
    Object.setPrototypeOf(this.prototype, null)
    Reflect.deleteProperty(this.prototype, 'constructor')
    Object.freeze(this.prototype)
  }
}

/** `head` is the class, with the size of a map or set: `Map(2)`; empty for plain objects and arrays. */
export type ValueTree =
  | string
  | number
  | boolean
  | null
  /** `[Getter]`, `12n`, `undefined`, a date. */
  | { readonly mark: string }
  /** Members that were left out, at the end of a list. */
  | { readonly more: number }
  /** The value that is so many levels from the top, again. */
  | { readonly circular: number }
  /** An object of this class that lies too deep. */
  | { readonly deep: string }
  | { readonly head: string; readonly list: readonly ValueTree[] }
  | { readonly head: string; readonly fields: readonly (readonly [name: string, value: ValueTree])[] }
  | { readonly head: string; readonly map: readonly (readonly [key: ValueTree, value: ValueTree])[] }

/** The tree of an own property, masked by its name. `isPlain` if JSON loses nothing. Never throws. */
function propertyTree(
  holder: object,
  key: string,
  limits: ValueLimits,
  masker: ValueMasker,
): { readonly tree: ValueTree; readonly isPlain: boolean } {
  let isPlain = true
  const special = (tree: ValueTree): ValueTree => {
    isPlain = false
    return tree
  }
  const headed = (head: string, tree: ValueTree): ValueTree => (head === '' ? tree : special(tree))
  const printer: ValuePrinter<ValueTree> = {
    showsHead: true,
    string: (text) => text,
    constant: (value) =>
      value === undefined || (typeof value === 'number' && !Number.isFinite(value))
        ? special({ mark: String(value) })
        : value,
    mark: (mark) => special({ mark }),
    more: (more) => special({ more }),
    circular: (level) => special({ circular: level }),
    deep: (className) => special({ deep: className }),
    list: (head, list) => headed(head, { head, list }),
    record: (head, fields) => headed(head, { head, fields }),
    map: (head, map) => special({ head, map }),
  }
  const tree = new ValueWalker(printer, limits, masker).property(holder, key)
  return { tree, isPlain }
}

/** Names and values in the order sent. */
type FieldList = readonly (readonly [name: string, value: string])[]

/** A dumped value with secrets masked: as plain data, and as a tree if it has parts. */
export interface DumpedValue {
  readonly value: PlainValue
  readonly tree?: ValueTree
}

/** Characters to keep of a header, URL or query value. */
const maxFieldLength = 4096
/** Characters to keep of a text. */
const maxTextLength = 8192
/** Length of the texts that are remembered as clean, and their number. */
const maxCleanLength = 200
const maxClean = 2000
/** Pairs to keep of a query or cookie header. */
const maxPairs = 500

/** No method throws or changes its argument. Masking twice gives the same as masking once. */
export class Redactor {
  /** The added rules, to make the same redactor in another thread. */
  readonly added: RedactionRules
  readonly #keys: SensitiveKeys
  readonly #headers: HeaderTreatments
  readonly #rules: TextRules
  readonly #masker: ValueMasker
  /** Short texts without secrets, because the same ones come again and again. */
  readonly #clean = new Set<string>()
  readonly #cleanUrls = new Set<string>()

  /** Rules only add to the built-in ones. */
  constructor(rules: RedactionRules = {}) {
    this.added = rules
    this.#keys = new SensitiveKeys(rules.keys)
    this.#headers = new HeaderTreatments(this.#keys, rules.headers)
    this.#rules = { keys: this.#keys, patterns: (rules.patterns ?? []).map(toValuePattern) }
    this.#masker = {
      isMaskedKey: (key, hasSibling, value) => this.#keys.matches(key, hasSibling, value),
      maskString: (text, maxLength) => this.text(text, maxLength),
      isMaskedNumber: isCardNumber,
    }
  }

  /** Request headers of a flat list. Headers on the allow-list keep their value, others only their name. */
  headers(raw: readonly string[]): FieldList {
    return this.#fields(raw, (name) => this.#headers.ofRequest(name))
  }

  /** Response headers of a flat list. All are shown, except cookies, credentials and secrets in URLs. */
  responseHeaders(flat: readonly string[]): FieldList {
    return this.#fields(flat, (name) => this.#headers.ofResponse(name))
  }

  /** A URL without its secrets, as `maskUrl` does it; at most 4096 characters. */
  url(url: string): string {
    if (url.length > maxCleanLength) return this.#bounded(url, maxFieldLength, (part) => maskUrl(part, this.#rules))
    if (this.#cleanUrls.has(url)) return url
    const masked = maskUrl(url, this.#rules)
    if (masked === url) remember(this.#cleanUrls, url)
    return masked
  }

  /** Decoded and masked pairs of a raw query, in the order sent; at most 500. */
  query(raw: string): FieldList {
    const pairs = readPairs(raw).slice(0, maxPairs)
    const names = new Set(pairs.map(([name]) => name))
    const hasSibling = (key: string): boolean => names.has(key)
    return pairs.map(([name, value]) => {
      const isMasked = value !== '' && this.#keys.matches(name, hasSibling, value)
      return [this.#name(name), isMasked ? mask : this.text(value, maxFieldLength)]
    })
  }

  /** Names of a `Cookie` header, every value masked; at most 500. */
  cookies(header: string): FieldList {
    const cookies = header
      .split(';', maxPairs)
      .map((cookie) => cookie.trim())
      .filter((cookie) => cookie !== '')
    return cookies.map((cookie) => [this.#name(cookieName(cookie)), mask])
  }

  /** Masked text of at most `maxLength` characters (default 8192), and a mark if it was cut. */
  text(text: string, maxLength: number = maxTextLength): string {
    if (text.length > maxCleanLength || text.length > maxLength) {
      return this.#bounded(text, maxLength, (part) => maskText(part, this.#rules))
    }
    if (this.#clean.has(text)) return text
    const masked = maskText(text, this.#rules)
    if (masked === text) remember(this.#clean, text)
    return masked
  }

  /** Any value as plain, masked, bounded JSON data. A sensitive key masks everything below it. */
  value(value: unknown, limits?: ValueLimits): PlainValue {
    return toPlainValue(value, limits, this.#masker)
  }

  /** The same for an own property, masked by its name. `tree` has the types that JSON loses, if there are any. */
  dumped(holder: object, key: string, limits: ValueLimits): DumpedValue {
    const value = plainProperty(holder, key, limits, this.#masker)
    const { tree, isPlain } = propertyTree(holder, key, limits, this.#masker)
    return isPlain ? { value } : { value, tree }
  }

  /** An own property of an object as one line of text: `404`, `[Getter]`; masked as in `value()`. */
  property(holder: object, key: string, maxLength: number): string {
    return describeProperty(holder, key, maxLength, this.#masker)
  }

  /** The same for the context of a log line; errors have their stacks. */
  record(context: Readonly<Record<string, unknown>>): Readonly<Record<string, PlainValue>> {
    const plain = this.value(context, { errorStacks: true })
    return isRecord(plain) ? plain : { value: plain }
  }

  #fields(flat: readonly string[], treatmentOf: (name: string) => HeaderTreatment): FieldList {
    return Array.from(listedFields(flat), ([name, value]) => {
      return [name.length <= 40 ? name : this.text(name, 200), this.#treat(value, treatmentOf(name))] as const
    })
  }

  // A name can be a secret by its form; all of those are longer than this.
  #name(name: string): string {
    return name.length <= 12 ? name : this.text(name, 200)
  }

  #treat(value: string, treatment: HeaderTreatment): string {
    if (treatment === 'mask') return mask
    if (treatment === 'credentials') return maskCredentials(value)
    if (treatment === 'forwarded') return cutText(maskForwarded(value), maxFieldLength)
    if (treatment === 'show') return this.text(value, maxFieldLength)
    if (treatment === 'url') return this.#bounded(value, maxFieldLength, (part) => maskUrl(part, this.#rules))
    if (treatment === 'set-cookie') return this.#maskSetCookie(value)
    const cookies = this.cookies(value).map(([name, hidden]) => `${name}=${hidden}`)
    return cutText(cookies.join('; '), maxFieldLength)
  }

  #maskSetCookie(value: string): string {
    const semicolon = value.indexOf(';')
    const cookie = semicolon < 0 ? value : value.slice(0, semicolon)
    const attributes = semicolon < 0 ? '' : this.text(value.slice(semicolon), 500)
    return `${this.#name(cookieName(cookie.trim()))}=${mask}${attributes}`
  }

  // Masks before it cuts, and reads a little more, so that a secret at the edge is seen as a whole.
  #bounded(text: string, maxLength: number, maskPart: (part: string) => string): string {
    if (text.length <= maxLength) return maskPart(text)
    if (text.length > maxReadLength) return cutText(text, maxLength)
    return cutText(maskPart(text.slice(0, maxLength + 1024)), maxLength, text.length)
  }
}

function remember(clean: Set<string>, text: string): void {
  if (clean.size >= maxClean) clean.clear()
  clean.add(text)
}

function toValuePattern(pattern: RegExp): ValuePattern {
  const flags = `${pattern.flags.replace(/[gy]/g, '')}g`
  return { pattern: new RegExp(`()(?:${pattern.source})`, flags) }
}

function isCardNumber(value: number): boolean {
  return value >= 1e12 && Number.isSafeInteger(value) && passesLuhn(String(value))
}

function cookieName(cookie: string): string {
  const equals = cookie.indexOf('=')
  return equals < 0 ? '' : cookie.slice(0, equals).trim()
}

/** `for=******;proto=https, ******`: of each hop the scheme and the names of the other parts. */
function maskForwarded(value: string): string {
  return value
    .split(',', maxHops)
    .map((hop) => hop.split(';', maxParts).map(maskPart).join(';'))
    .join(', ')
}

const maxHops = 50
const maxParts = 8

function maskPart(part: string): string {
  const [, name, scheme] = /^\s*(by|for|host|proto)=(?:"?(https?|wss?)"?\s*$)?/i.exec(part) ?? []
  if (name === undefined) return mask
  return `${name}=${name.toLowerCase() === 'proto' ? (scheme ?? mask) : mask}`
}

const schemes: ReadonlySet<string> = new Set(
  'apikey aws4-hmac-sha256 basic bearer digest dpop hawk hoba mutual negotiate ntlm oauth signature token vapid'.split(
    ' ',
  ),
)

/** What code sends in place of a missing value. */
const nothing: ReadonlyMap<string, string> = new Map([
  ['', 'empty'],
  ['undefined', 'the word undefined'],
  ['null', 'the word null'],
  ['NaN', 'the word NaN'],
  ['[object Object]', 'an object as text'],
  ['[object Promise]', 'a promise as text'],
])

const maskedAlready = /^(?:[A-Za-z][\w-]{0,19} )?\*{6}(?: \([A-Za-z0-9, ]{1,80}\))?$/

/** `Bearer ****** (32 characters)`, `****** (no scheme, 32 characters)`, `Bearer ****** (the word undefined)`. */
export function maskCredentials(value: string): string {
  if (maskedAlready.test(value)) return value
  const { scheme, rest } = splitScheme(value.trim())
  const second = splitScheme(rest)
  const secret = second.scheme === '' ? rest : second.rest
  const notes = [
    ...(scheme === '' ? ['no scheme'] : []),
    ...(second.scheme === '' ? [] : ['the scheme twice']),
    ...(/\s/.test(secret) && !nothing.has(secret) ? ['with blanks'] : []),
    ...(/^["']|["']$/.test(secret) ? ['in quotes'] : []),
    nothing.get(secret) ?? lengthText(secret.length),
  ]
  return `${scheme === '' ? '' : `${scheme} `}${mask} (${notes.join(', ')})`
}

/** Short secrets are not told apart: their length would say much. */
function lengthText(length: number): string {
  if (length < 8) return 'fewer than 8 characters'
  return length > 4096 ? 'more than 4096 characters' : `${length} characters`
}

function splitScheme(value: string): { readonly scheme: string; readonly rest: string } {
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]{0,19})(?:\s+(.*))?$/s.exec(value) ?? []
  return schemes.has(scheme.toLowerCase()) ? { scheme, rest } : { scheme: '', rest: value }
}
