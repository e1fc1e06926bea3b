// A request as the client sent it: read once, kept exactly, parsed when asked.

import { emptyBody, type RequestBody } from './body.ts'
import { readCookies } from './cookies.ts'
import { listedFields } from './header-fields.ts'

export interface RequestParts
  extends
    Pick<HttpRequest, 'method' | 'target' | 'path' | 'scheme' | 'host' | 'port' | 'rawHeaders'>,
    Pick<HttpRequest, 'peerAddress' | 'clientAddress'>,
    // By default version 1.1, not trusted, and without a body.
    Partial<Pick<HttpRequest, 'httpVersion' | 'hasTrustedPeer' | 'body'>> {
  /** As sent, without `?`. */
  readonly query: string
}

/** The fields of a query, decoded: a `URLSearchParams` that is only read. */
type Query = Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'keys' | 'entries' | 'toString'>

/** Methods that the Fetch standard forbids. */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** Value of a parameter of a path: decoded text, a number of `{id<int>}`, or what a default says. */
export type ParamValue = string | number | boolean | null

/** One request as sent. `Params` are the parameters of the matched route. */
export class HttpRequest<Params extends object = Readonly<Record<string, ParamValue>>> {
  /** As sent, `GET`. */
  readonly method: string
  /** Request target as sent, `/a//b.php?x=1`; for the absolute form `http://host/a`. */
  readonly target: string
  /** Path of the target as sent: not decoded, not collapsed, no dot removed. Starts with `/`, or is `*`. */
  readonly path: string
  /** Query of the target as sent, without `?`; empty when there is none. */
  readonly rawQuery: string
  /** As the client used it; `https` behind a proxy that is trusted and says so. */
  readonly scheme: 'http' | 'https'
  /** Host name in lower case, without port; IPv6 keeps its brackets: `shop.example.org`, `[::1]`. */
  readonly host: string
  /** Port named by the client, or the default port of the scheme. */
  readonly port: number
  /** Header fields as sent: name, value, name, value … */
  readonly rawHeaders: readonly string[]
  /** Address of the other end of the socket; empty without a socket. */
  readonly peerAddress: string
  /** Address of the client: the peer, or what a trusted proxy said; empty if the proxy did not say. */
  readonly clientAddress: string
  /** `1.1`, `1.0` or `2.0`. */
  readonly httpVersion: string
  /** Whether the peer is a trusted proxy (`APP_TRUSTED_PROXIES`). */
  readonly hasTrustedPeer: boolean
  /** Reads the body once: `await request.body.json()`, `text()`, `form()`. */
  readonly body: RequestBody
  /** Parameters of the matched route, decoded, with defaults filled in; empty until a route matched. */
  params: Params = noParams as Params
  #query: URLSearchParams | undefined
  #headers: Readonly<Record<string, string>> | undefined
  #cookies: ReadonlyMap<string, string> | undefined

  constructor(parts: RequestParts) {
    this.method = parts.method
    this.target = parts.target
    this.path = parts.path
    this.rawQuery = parts.query
    this.scheme = parts.scheme
    this.host = parts.host
    this.port = parts.port
    this.rawHeaders = parts.rawHeaders
    this.peerAddress = parts.peerAddress
    this.clientAddress = parts.clientAddress
    this.httpVersion = parts.httpVersion ?? '1.1'
    this.hasTrustedPeer = parts.hasTrustedPeer ?? false
    this.body = parts.body ?? emptyBody
  }

  /** `request.query.get('page')`. Malformed percent signs stay as they are; bad UTF-8 becomes U+FFFD. */
  get query(): Query {
    this.#query ??= new URLSearchParams(this.rawQuery)
    return this.#query
  }

  /** Header values by name in lower case; repeated fields are joined by `, `, cookies by `; `. */
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= headersOf(this.rawHeaders)
    return this.#headers
  }

  /** Cookies as sent: `request.cookies.get('theme')`. `exchange.cookies` reads signed ones and sets new ones. */
  get cookies(): ReadonlyMap<string, string> {
    this.#cookies ??= readCookies(this.headers['cookie'])
    return this.#cookies
  }

  /** Host with its port if that is not the scheme's default: `127.0.0.1:8000`, `example.org`. */
  get authority(): string {
    const isDefaultPort = this.port === (this.scheme === 'https' ? 443 : 80)
    return isDefaultPort ? this.host : `${this.host}:${this.port}`
  }

  /** Scheme, authority and path as sent, without the query: the `<url>` of the contract's messages (SPEC 2.2). `*` for the whole server. */
  get url(): string {
    return this.path === '*' ? '*' : `${this.scheme}://${this.authority}${this.path}`
  }

  /** The URL with its query. */
  get fullUrl(): string {
    return this.rawQuery === '' ? this.url : `${this.url}?${this.rawQuery}`
  }

  /**
   * The request as a Fetch `Request`. Its body is read from the same bytes as `body`, so only one of the two can be read. Throws a
   * TypeError for what Fetch cannot express: CONNECT, TRACE and TRACK, and the target `*`. GET and HEAD have no body.
   */
  toFetch(): Request {
    const { method } = this
    if (forbiddenMethods.has(method.toUpperCase())) {
      throw new TypeError(`Fetch has no ${method} requests; read the members of exchange.request instead`)
    }
    if (this.path === '*') {
      throw new TypeError('Fetch has no request for the target "*"; read the members of exchange.request instead')
    }
    const headers = new Headers()
    for (const [name, value] of listedFields(this.rawHeaders)) headers.append(name, value)
    const stream = method === 'GET' || method === 'HEAD' ? null : this.body.stream()
    return new Request(this.fullUrl, { method, headers, ...(stream === null ? {} : { body: stream, duplex: 'half' }) })
  }

  /** First value of a header field, in any letter case. */
  header(name: string): string | undefined {
    const wanted = name.toLowerCase()
    for (let index = 0; index < this.rawHeaders.length; index += 2) {
      if (isSameName(this.rawHeaders[index], wanted)) return this.rawHeaders[index + 1]
    }
    return undefined
  }

  /** Every value of a header field, in the order sent. */
  headerValues(name: string): string[] {
    const wanted = name.toLowerCase()
    return [...listedFields(this.rawHeaders)].flatMap(([sent, value]) => (isSameName(sent, wanted) ? [value] : []))
  }
}

function isSameName(sent: string | undefined, lowerCase: string): boolean {
  return sent !== undefined && sent.length === lowerCase.length && sent.toLowerCase() === lowerCase
}

function headersOf(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  // Without a prototype: a client may send `__proto__`.
  const headers: Record<string, string> = Object.create(null)
  for (const [sent, value] of listedFields(rawHeaders)) {
    const name = sent.toLowerCase()
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return headers
}

const noParams: object = Object.freeze(Object.create(null))
