// Decides by the name of a header whether its value is shown, masked, or masked in part.

import {
  forwardedHeaders,
  maskedHeaderPrefixes,
  maskedHeaders,
  shownRequestHeaderPrefixes,
  shownRequestHeaders,
  shownResponseHeaders,
  urlHeaders,
} from './rules.ts'
import { normalizeName, remember, type SensitiveKeys } from './sensitive-key.ts'

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
