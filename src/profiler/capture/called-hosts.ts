// What the calls to one host share, made once: an application calls the same few again and again.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Span } from '../../framework/timing/span.ts'
import { CallKind } from './call-kind.ts'
import { Remembered } from './remembered.ts'

/** Methods of one host that are remembered. */
const maxMethods = 20

/** What spans of calls that are alike say. */
interface KnownAttributes {
  readonly method: string
  readonly url: string
  readonly status: number | null
  readonly attributes: Span['attributes']
}

/** A host that is called. */
export class CalledHost {
  /** Without the port: `prices.example`. */
  readonly address: string
  /** `null` where it is the scheme's own. */
  readonly port: number | null
  readonly #authority: string
  readonly #spanNames = new Map<string, string>()
  #cleanUrl: string | null = null
  #kind: CallKind | null = null
  #asked: KnownAttributes | null = null
  #answered: KnownAttributes | null = null

  /** `authority` is host and port: `prices.example:8443`. */
  constructor(authority: string) {
    const port = /:(\d{1,5})$/.exec(authority)
    this.#authority = authority
    this.address = port === null ? authority : authority.slice(0, port.index)
    this.port = port === null ? null : Number(port[1])
  }

  /** Name of the span of a call: the very same string each time. */
  spanName(method: string): string {
    const known = this.#spanNames.get(method)
    if (known !== undefined) return known
    const name = `${method} ${this.#authority}`
    if (this.#spanNames.size < maxMethods) this.#spanNames.set(method, name)
    return name
  }

  /** An URL of this host, masked: the very string that was given where there is nothing to mask. */
  masked(url: string, redactor: Redactor): string {
    if (url === this.#cleanUrl) return url
    const masked = redactor.url(url)
    if (masked === url) this.#cleanUrl = url
    return masked
  }

  /** What the span of a call says, in the words of OpenTelemetry: the very same object for calls that are alike. `url` is masked. */
  attributes(method: string, url: string, status: number | null): Span['attributes'] {
    const known = status === null ? this.#asked : this.#answered
    if (known !== null && known.status === status && known.method === method && known.url === url) {
      return known.attributes
    }
    const made = { method, url, status, attributes: this.#attributesOf(method, url, status) }
    if (status === null) this.#asked = made
    else this.#answered = made
    return made.attributes
  }

  /** The kind of a call with these headers, names and values in turn: that of the last call where it is one of the same kind. */
  kindOf(client: CallKind['client'], method: string, headers: readonly unknown[]): CallKind {
    if (this.#kind === null || !this.#kind.fits(client, method, headers)) {
      this.#kind = new CallKind(client, method, headers)
    }
    return this.#kind
  }

  #attributesOf(method: string, url: string, status: number | null): Span['attributes'] {
    const attributes: Record<string, string | number> = {
      'http.request.method': method,
      'url.full': url,
      'server.address': this.address,
    }
    if (this.port !== null) attributes['server.port'] = this.port
    if (status !== null) attributes['http.response.status_code'] = status
    return attributes
  }
}

/** The hosts that one application calls. */
export class CalledHosts {
  readonly #hosts = new Remembered<CalledHost>()

  /** `authority` is host and port: `prices.example:8443`. */
  of(authority: string): CalledHost {
    return this.#hosts.of(authority, newHost)
  }
}

function newHost(authority: string): CalledHost {
  return new CalledHost(authority)
}
