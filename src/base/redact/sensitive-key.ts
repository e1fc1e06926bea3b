// Decides by its name whether a key or a header holds a secret, and remembers it, because the same few names come again and again.

import {
  harmlessFirstWords,
  harmlessKeyParts,
  harmlessLastWords,
  harmlessPlurals,
  sensitiveKeyBeginnings,
  sensitiveKeyEndings,
  sensitiveKeyParts,
  sensitiveKeys,
  sensitiveLastWords,
  sensitiveTogether,
  sensitiveWords,
  storeAddress,
  storeUrl,
  forwardedHeaders,
  maskedHeaderPrefixes,
  maskedHeaders,
  shownRequestHeaderPrefixes,
  shownRequestHeaders,
  shownResponseHeaders,
  urlHeaders,
} from './rules.ts'

/** Names as they are compared: lower case, with `-`, `.` and space turned into `_`. */
function normalizeName(name: string): string {
  return name.normalize().toLowerCase().replace(/[-. ]/g, '_')
}

/** Keeps a verdict and gives it back. Names come from outside, so the memory is emptied when it is full. */
function remember<Verdict>(verdicts: Map<string, Verdict>, name: string, verdict: Verdict): Verdict {
  if (verdicts.size >= maxVerdicts) verdicts.clear()
  if (name.length <= maxNameLength) verdicts.set(name, verdict)
  return verdict
}

const maxVerdicts = 2000
/** For a longer name only the end counts. */
const maxNameLength = 200

/** Whether the value is masked: always, never, only beside another key, or unless it is an address. */
type Verdict = boolean | { readonly beside: string } | 'unless an address'

const hasNone = (): boolean => false

export class SensitiveKeys {
  readonly #whole: ReadonlySet<string>
  readonly #together: ReadonlyMap<string, Verdict>
  readonly #verdicts = new Map<string, Verdict>()

  /** `added`: further keys, in any spelling. */
  constructor(added: readonly string[] = []) {
    this.#whole = new Set([...sensitiveKeys, ...added].map(compact))
    this.#together = new Map(sensitiveTogether.map(([key, beside]) => [key, { beside }]))
  }

  /**
   * Whether the value of this key is masked. `hasSibling` tells whether another key is beside it. `value` counts for `DATABASE_URL` and the
   * like: what is no address there is a secret.
   */
  matches(key: string, hasSibling: (key: string) => boolean = hasNone, value?: unknown): boolean {
    const verdict = this.#verdicts.get(key) ?? remember(this.#verdicts, key, this.#judge(key))
    if (typeof verdict === 'boolean') return verdict
    if (verdict !== 'unless an address') return hasSibling(verdict.beside)
    return typeof value === 'string' && value !== '' && !storeAddress.test(value)
  }

  // `user[password]`, `user.password` and `session[id]` are judged as one name and by each of their parts.
  #judge(key: string): Verdict {
    const name = key.slice(-maxNameLength)
    const named = name.split(/[[\].]/).filter((part) => part !== '')
    // `s.id` is a column, `session.id` and `connect.sid` are not.
    const isSensitive =
      (!alias.test(name) && this.#isListed(name)) ||
      named.some((part) => this.#isListed(part) || isSensitiveByWords(part))
    if (isSensitive) return true
    if (storeUrl.test(wordsOf(named.at(-1) ?? '').join('_'))) return 'unless an address'
    return this.#together.get(normalizeName(key.slice(0, 20))) ?? false
  }

  #isListed(part: string): boolean {
    const name = compact(part)
    const one = name.endsWith('s') && !harmlessPlurals.has(name) ? name.slice(0, -1) : name
    if (this.#whole.has(name) || this.#whole.has(one)) return true
    if (endings.some((ending) => name.endsWith(ending) || one.endsWith(ending))) return true
    return beginnings.some((beginning) => name.startsWith(beginning))
  }
}

const alias = /^[a-z]\d?\./i

function isSensitiveByWords(part: string): boolean {
  const words = wordsOf(part)
  const last = words.at(-1) ?? ''
  const beforeLast = words.at(-2) ?? ''
  const harmlessBefore = sensitiveLastWords.get(last)
  if (harmlessFirstWords.has(words[0] ?? '') || harmlessBefore?.has(beforeLast) === true) return false
  if (harmlessBefore !== undefined && beforeLast !== '') return true
  const name = compact(part).replace(harmlessKeyParts, '')
  if (harmlessLastWords.has(last)) return false
  return words.some((word) => sensitiveWords.has(word)) || parts.some((sensitive) => name.includes(sensitive))
}

// `accessToken`, `ACCESS_TOKEN` and `access-token` are two words.
function wordsOf(name: string): string[] {
  const separated = name.replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
  return separated
    .normalize()
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
}

// `api_key`, `apiKey` and `apikey` are one name.
function compact(name: string): string {
  return normalizeName(name).replace(/[_[\]]/g, '')
}

const parts: readonly string[] = sensitiveKeyParts.map(compact)
const endings: readonly string[] = sensitiveKeyEndings.map(compact)
const beginnings: readonly string[] = sensitiveKeyBeginnings.map(compact)

export type HeaderTreatment = 'show' | 'mask' | 'credentials' | 'url' | 'forwarded' | 'cookie' | 'set-cookie'

/** Request headers have an allow-list, response headers a deny-list. */
export class HeaderTreatments {
  readonly #keys: SensitiveKeys
  readonly #added: ReadonlySet<string>
  readonly #request = new Map<string, HeaderTreatment>()
  readonly #response = new Map<string, HeaderTreatment>()

  /** `added`: further names to mask, in any spelling. */
  constructor(keys: SensitiveKeys, added: readonly string[] = []) {
    this.#keys = keys
    this.#added = new Set(added.map(normalizeName))
  }

  /** Unknown names are masked. */
  ofRequest(name: string): HeaderTreatment {
    const known = this.#request.get(name)
    return known ?? remember(this.#request, name, this.#judgeRequest(normalizeName(name)))
  }

  /** Unknown names are shown. */
  ofResponse(name: string): HeaderTreatment {
    const known = this.#response.get(name)
    return known ?? remember(this.#response, name, this.#judgeResponse(normalizeName(name)))
  }

  #judgeRequest(name: string): HeaderTreatment {
    if (name === 'cookie') return 'cookie'
    if (name === 'set_cookie') return 'set-cookie'
    if (isCredentials.has(name) && !this.#added.has(name)) return 'credentials'
    if (this.#isMasked(name)) return 'mask'
    if (forwarded.has(name)) return 'forwarded'
    if (urls.has(name)) return 'url'
    return shownInRequest.has(name) || startsWithOne(name, shownRequestHeaderPrefixes) ? 'show' : 'mask'
  }

  #judgeResponse(name: string): HeaderTreatment {
    if (name === 'cookie') return 'cookie'
    if (name === 'set_cookie') return 'set-cookie'
    if (shownInResponse.has(name) && !this.#added.has(name)) return 'show'
    if (this.#isMasked(name) || this.#keys.matches(name)) return 'mask'
    if (forwarded.has(name)) return 'forwarded'
    return urls.has(name) ? 'url' : 'show'
  }

  #isMasked(name: string): boolean {
    return this.#added.has(name) || masked.has(name) || startsWithOne(name, maskedHeaderPrefixes)
  }
}

const shownInRequest: ReadonlySet<string> = new Set(shownRequestHeaders)
const shownInResponse: ReadonlySet<string> = new Set(shownResponseHeaders)
/** Their scheme is shown. */
const isCredentials: ReadonlySet<string> = new Set(['authorization', 'proxy_authorization'])
const urls: ReadonlySet<string> = new Set(urlHeaders)
const forwarded: ReadonlySet<string> = new Set(forwardedHeaders)
const masked: ReadonlySet<string> = new Set(maskedHeaders)

function startsWithOne(name: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => name.startsWith(prefix))
}

interface Bare {
  readonly start: number
  readonly end: number
}

/** `X-Api-Key`, `x-auth` */
const headerName = /^[A-Za-z]\w*(?:-\w+)+$/
/** Names a profile, and is shown. */
const ownHeader = /^x-debug-token/i
/** A name that says by itself that a secret follows. */
const plainSecret =
  /pass(?:word|wd|wort|phrase|code|e$)|secret|pwd|credential|^(?:pin|[co]tp|totp|cv[cv]2?|ssn|iban)$|[^\0-\x7f]/i
const compound = /[_-]|[a-z][A-Z]/
/** What is no secret: a placeholder, a word that says what is wrong, a type, the scheme of credentials; and what is masked elsewhere. */
const harmless =
  /^(?:[[({<$:%*…/]|[\w$.#]{1,80}\(|(?:null|undefined|true|false|none|nan|required|invalid|missing|empty|unset|set|changed|wrong|expected|string|number|boolean|unknown|any|never|str|text|bearer|basic|digest|negotiate|token|apikey)\b|[^=]{0,80}=)/i
/** Not a word, a name in code or a call. */
const random = /[^A-Za-z_$.()?!#'-]/

/** Rules out most colons: times, ports, the scheme of an address. */
export function mayBeBare(text: string, colon: number): boolean {
  const before = text.charCodeAt(colon - 1)
  const after = text.charCodeAt(colon + 1)
  return isBlank(after) || (after !== 0x2f && after !== 0x3a && !(before >= 0x30 && before <= 0x39))
}

/** The value behind a colon, where it is a secret of that name; `undefined` where it may be prose. */
export function bareValue(text: string, colon: number, nameStart: number, name: string): Bare | undefined {
  let start = colon + 1
  while (isBlank(text.charCodeAt(start)) && start - colon < 8) start += 1
  let end = start
  while (end < text.length && end - start < longestRead && isBareCharacter(text.charCodeAt(end))) end += 1
  const value = text.slice(start, end)
  if (value === '' || harmless.test(value)) return undefined
  let before = nameStart - 1
  while (isBlank(text.charCodeAt(before)) && nameStart - before < 8) before -= 1
  const isFirst = before < 0 || /[^\p{L}\p{N}.!?:]/u.test(text.charAt(before))
  const isMember = text[before] === '{' || text[before] === ','
  const isTelling = plainSecret.test(name) || compound.test(name)
  const isRandom = random.test(value)
  // A word alone on its line, and not the variable of that name: `password: password`.
  const isAlone =
    isFirst && isLineEnd(text, end) && /^[A-Za-z]+$/.test(value) && value.toLowerCase() !== name.toLowerCase()
  const isSecret =
    start === colon + 1
      ? isFirst && (isTelling ? isRandom || isMember : isMember && isRandom)
      : (headerName.test(name) && !ownHeader.test(name)) ||
        (isTelling ? isRandom || isAlone : isFirst && value.length >= 6 && /\d/.test(value))
  if (!isSecret) return undefined
  while (end < text.length && isBareCharacter(text.charCodeAt(end))) end += 1
  return { start, end }
}

/** Characters that decide: what is behind them is only read to be masked. */
const longestRead = 200

function isLineEnd(text: string, at: number): boolean {
  let end = at
  while (isBlank(text.charCodeAt(end)) && end - at < 8) end += 1
  return end >= text.length || text[end] === '\n' || text[end] === '\r'
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

// Until a blank, a quote, or what ends a member: < > , ; ) } ]
function isBareCharacter(code: number): boolean {
  if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60 || code === 0x3c || code === 0x3e) return false
  return code !== 0x2c && code !== 0x3b && code !== 0x29 && code !== 0x7d && code !== 0x5d
}

/** Whether the second of `['password', '…']` is its value, and not the next of a list of names: `['token', 'name']`. */
export function isPairedValue(name: string, value: unknown): boolean {
  return plainSecret.test(name) || typeof value !== 'string' || !/^[A-Za-z][A-Za-z_-]*$/.test(value)
}
