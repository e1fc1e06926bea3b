// What the client asked, read once and kept exactly as sent. Everybody (router, message, gate, profiler, log) reads this
// record and never the socket. How it is cut out of bytes is the adapter's business.

/** One request as sent. Immutable; its getters compute only when asked. */
export class RequestContext {
  /** Method as sent, `GET`. */
  readonly method: string
  /** Request target as sent, `/a//b.php?x=1`; for the absolute form `http://host/a`. */
  readonly target: string
  /** Path of the target as sent: not decoded, not collapsed, no dot removed. Always starts with `/` (or is `*`). */
  readonly path: string
  /** Query of the target as sent, without `?`; empty when there is none. */
  readonly query: string
  /** `http` or `https`. */
  readonly scheme: 'http' | 'https'
  /** Host name in lower case, without port; IPv6 keeps its brackets: `shop.example.org`, `[::1]`. */
  readonly host: string
  /** Port named by the client, or the default port of the scheme. */
  readonly port: number
  /** Header fields as sent: name, value, name, value … (RFC 9110, section 5.2 keeps their order). */
  readonly rawHeaders: readonly string[]
  /** Address of the socket's other end; empty where there is no socket. */
  readonly peerAddress: string
  /** Address of the client: the peer, or what a trusted proxy said. */
  readonly clientAddress: string

  constructor(parts: RequestParts) {
    this.method = parts.method
    this.target = parts.target
    this.path = parts.path
    this.query = parts.query
    this.scheme = parts.scheme
    this.host = parts.host
    this.port = parts.port
    this.rawHeaders = parts.rawHeaders
    this.peerAddress = parts.peerAddress
    this.clientAddress = parts.clientAddress
  }

  /** Host with its port where that is not the scheme's own: `127.0.0.1:8000`, `example.org`. */
  get authority(): string {
    const isDefaultPort = this.port === (this.scheme === 'https' ? 443 : 80)
    return isDefaultPort ? this.host : `${this.host}:${this.port}`
  }

  /** Scheme, authority and path as sent, without the query: the `<url>` of the contract's messages (SPEC 2.2). */
  get url(): string {
    return `${this.scheme}://${this.authority}${this.path}`
  }

  /** The URL with its query, where there is one. */
  get fullUrl(): string {
    return this.query === '' ? this.url : `${this.url}?${this.query}`
  }

  /** First value of a header field, or `undefined`. `name` must be in lower case. */
  header(name: string): string | undefined {
    for (let index = 0; index < this.rawHeaders.length; index += 2) {
      if (isSameName(this.rawHeaders[index], name)) return this.rawHeaders[index + 1]
    }
    return undefined
  }

  /** Every value of a header field in the order sent. `name` must be in lower case. */
  headerValues(name: string): string[] {
    const values: string[] = []
    for (let index = 0; index < this.rawHeaders.length; index += 2) {
      if (isSameName(this.rawHeaders[index], name)) values.push(this.rawHeaders[index + 1] ?? '')
    }
    return values
  }
}

/** What an adapter hands over: the parts of a request line and its headers. */
export type RequestParts = Pick<
  RequestContext,
  'method' | 'target' | 'path' | 'query' | 'scheme' | 'host' | 'port' | 'rawHeaders' | 'peerAddress' | 'clientAddress'
>

function isSameName(sent: string | undefined, lowerCase: string): boolean {
  return sent !== undefined && sent.length === lowerCase.length && sent.toLowerCase() === lowerCase
}
