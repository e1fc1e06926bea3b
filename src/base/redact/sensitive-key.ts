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
