// Requests and responses of both protocols. Node's HTTP/2 ones have the members of HTTP/1.1; what differs is here.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex, Readable } from 'node:stream'
import { listedFields } from '../../base/http/header-fields.ts'
import type { ClientConnection } from '../kernel/exchange.ts'
import { isIPv6 } from 'node:net'
import { emptyBody, RequestBody, type RequestBodyParts } from '../../base/http/body.ts'
import { HttpRequest } from '../../base/http/request.ts'
import type { Forwarded, TrustedProxies } from '../../base/http/trusted-proxies.ts'

/** For `http.createServer()` and for servers of HTTP/2. */
export type AppListener = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void

/** What the application reads. `stream`: whether there may be a body to read. */
export function rawRequest(request: IncomingMessage | Http2ServerRequest, hasStream: boolean): RawRequest {
  const { socket } = request
  const isSecond = 'stream' in request
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    httpVersion: request.httpVersion,
    rawHeaders: isSecond ? plainHeaders(request.rawHeaders) : request.rawHeaders,
    peerAddress: socket.remoteAddress ?? '',
    isEncrypted: 'encrypted' in socket && socket.encrypted,
    stream: hasStream ? request : null,
    hasBody: isSecond && !request.stream.endAfterHeaders,
  }
}

/** HTTP/2 has the method, path and host in separate fields, whose names begin with a colon. */
function plainHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = []
  let authority: string | undefined
  for (const [name, value] of listedFields(rawHeaders)) {
    if (name === ':authority') authority = value
    else if (!name.startsWith(':')) headers.push(name, value)
  }
  // Both may be sent if they agree (RFC 9113, section 8.3.1); else there are two hosts, which is refused.
  const index = headers.indexOf('host')
  if (authority !== undefined && (index < 0 || headers[index + 1] !== authority)) headers.unshift('host', authority)
  return headers
}

/** Whether nothing can be sent anymore. */
export function isGone(response: ServerResponse | Http2ServerResponse): boolean {
  if ('stream' in response) return response.stream.destroyed
  return response.destroyed || response.req.socket.destroyed
}

/** Whether the whole response was passed to the operating system. HTTP/2 also calls a response finished that broke off. */
export function hasLeft(response: ServerResponse | Http2ServerResponse): boolean {
  // Older versions of Node also call finished what was lost with its socket.
  if (!('stream' in response)) return response.writableFinished && !response.req.socket.destroyed
  const { aborted, rstCode } = response.stream
  return response.writableEnded && !aborted && rstCode === 0
}

export function clientOf(response: ServerResponse | Http2ServerResponse): ClientConnection {
  if (!('stream' in response)) return response
  return {
    get destroyed() {
      return isGone(response)
    },
    get writableFinished() {
      return hasLeft(response)
    },
    get socket() {
      return response.stream.session ?? null
    },
    once: (event, listener) => response.once(event, listener),
  }
}

/** What holds the bytes that the client has not taken; `null` if the response has left. */
export function outletOf(response: ServerResponse | Http2ServerResponse): Duplex | null {
  return 'stream' in response ? response.stream : response.socket
}

/** Header fields for the wire: HTTP/2 knows nothing of connections (RFC 9113, section 8.2.2). */
export function wireHeaders(response: ServerResponse | Http2ServerResponse, headers: string[]): string[] {
  if (!('stream' in response)) return headers
  return [...listedFields(headers)].filter(([name]) => !connectionFields.has(name.toLowerCase())).flat()
}

const connectionFields: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])

/** A request as the host's parser gives it. */
interface RawRequest extends Pick<HttpRequest, 'method' | 'target' | 'httpVersion' | 'rawHeaders' | 'peerAddress'> {
  readonly isEncrypted: boolean
  /** The bytes of the body; read only when a header announces a body. */
  readonly stream: Readable | null
  /** Whether there is a body that no header announces. Default: no. */
  readonly hasBody?: boolean
}

export interface ReadOptions {
  readonly trustedProxies: TrustedProxies
  /** Host for HTTP/1.0 requests that name none. */
  readonly defaultHost: HostAndPort
  /** Default: `readHost`. */
  readonly readHost?: typeof readHost
  /** Bodies larger than this many bytes get a 413. */
  readonly maxBodyBytes: number
  /** Makes the body of a request that has one. Default: a body that reads the stream. */
  readonly makeBody?: (parts: RequestBodyParts) => RequestBody
}

/** Reads a request. `null` (a 400) for a missing, repeated or malformed host, an invalid target, or ambiguous framing. */
export function readRequest(raw: RawRequest, options: ReadOptions): HttpRequest | null {
  const { rawHeaders } = raw
  let hostHeader: string | undefined
  let hostCount = 0
  let contentLength: string | undefined
  let contentType: string | undefined
  let contentEncoding: string | undefined
  let transferEncoding: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1]
    const name = rawHeaders[index] ?? ''
    // Most names are shorter or longer than all of these.
    if (name.length !== 4 && (name.length < 12 || name.length > 17)) continue
    switch (name.toLowerCase()) {
      case 'host':
        hostHeader = value
        hostCount += 1
        break
      case 'content-type':
        contentType ??= value
        break
      case 'content-length':
        contentLength = value
        break
      case 'content-encoding':
        contentEncoding = value
        break
      case 'transfer-encoding':
        transferEncoding = transferEncoding === undefined ? value : 'repeated'
        break
    }
  }
  const target = readTarget(raw.target)
  if (target === null || hostCount > 1) return null
  // Servers disagree about any other framing (RFC 9112, section 11.2), and HTTP/1.0 has none of it (section 6.1).
  if (transferEncoding !== undefined && (transferEncoding.toLowerCase() !== 'chunked' || raw.httpVersion === '1.0'))
    return null
  // Only HTTP/1.0 may omit Host (RFC 9112, section 3.2).
  const unnamed = raw.httpVersion === '1.0' ? options.defaultHost : null
  let named = hostHeader === undefined ? unnamed : (options.readHost ?? readHost)(hostHeader)
  if (named !== null && target.authority !== null) named = readHost(target.authority)
  if (named === null) return null

  const forwarded = options.trustedProxies.isEmpty ? null : options.trustedProxies.resolve(raw.peerAddress, rawHeaders)
  const scheme = forwarded?.scheme ?? (raw.isEncrypted ? 'https' : 'http')
  const { host, port } = forwarded === null ? named : forwardedHost(forwarded, named)
  const body =
    transferEncoding === undefined && contentLength === undefined && raw.hasBody !== true
      ? emptyBody
      : (options.makeBody ?? ((parts) => new RequestBody(parts)))({
          stream: raw.stream,
          contentType,
          contentLength: contentLength === undefined ? undefined : Number(contentLength),
          contentEncoding,
          maxBytes: options.maxBodyBytes,
        })
  return new HttpRequest({
    method: raw.method,
    target: raw.target,
    path: target.path,
    query: target.query,
    scheme,
    host,
    port: port ?? (scheme === 'https' ? 443 : 80),
    rawHeaders,
    peerAddress: raw.peerAddress,
    clientAddress: forwarded?.clientAddress ?? raw.peerAddress,
    httpVersion: raw.httpVersion,
    hasTrustedPeer: forwarded !== null,
    body,
  })
}

// An invalid forwarded host is ignored: the proxy's own Host is valid. A forwarded port applies to either host.
function forwardedHost(forwarded: Forwarded, named: HostAndPort): HostAndPort {
  const host = (forwarded.host === null ? null : readHost(forwarded.host)) ?? named
  return forwarded.port === null ? host : { host: host.host, port: forwarded.port }
}

interface TargetParts {
  /** As sent; starts with `/`, or is `*`. */
  readonly path: string
  /** As sent, without `?`; empty when there is none. */
  readonly query: string
  /** Authority of an absolute target, `example.org:80`; `null` for the usual form. */
  readonly authority: string | null
}

/**
 * Splits a request target (RFC 9112, section 3.2): `/a?b`, `http://host/a?b` or `*`; `null` for anything else. Linear, never throws.
 * `new URL()` would take `//a/b` for a host, remove dots, and throw.
 */
export function readTarget(target: string): TargetParts | null {
  if (target.startsWith('/')) return splitQuery(target, null)
  if (target === '*') return { path: '*', query: '', authority: null }
  const scheme = /^https?:\/\//i.exec(target)?.[0]
  if (scheme === undefined) return null
  const rest = target.slice(scheme.length)
  const end = rest.search(/[/?#]/)
  if (end < 0) return { path: '/', query: '', authority: rest }
  const authority = rest.slice(0, end)
  return splitQuery(rest[end] === '/' ? rest.slice(end) : `/${rest.slice(end)}`, authority)
}

function splitQuery(target: string, authority: string | null): TargetParts {
  const question = target.indexOf('?')
  if (question < 0) return { path: target, query: '', authority }
  return { path: target.slice(0, question), query: target.slice(question + 1), authority }
}

/** A host in lower case; `port` is `null` where none was named. */
interface HostAndPort {
  /** `example.org`, `127.0.0.1`, `[::1]`. */
  readonly host: string
  readonly port: number | null
}

const maxHostLength = 255
const namedHostPattern = /^((?:[\w-]+\.)*[\w-]+\.?)(?::(\d*))?$/
const bracketedHostPattern = /^\[([^\]%]*)\](?::(\d*))?$/

/**
 * Reads `Example.org:8000` from a Host header or an authority (RFC 9110, section 7.2); `null` if it is not a host: user info, bad
 * characters, empty labels, a port above 65535. Stricter than RFC 3986: names with percent signs or sub-delimiters never resolve.
 */
export function readHost(text: string): HostAndPort | null {
  if (text.length > maxHostLength) return null
  const named = namedHostPattern.exec(text)
  if (named !== null) return withPort(named[1]?.toLowerCase() ?? '', named[2] ?? '')
  const [, address = '', digits = ''] = bracketedHostPattern.exec(text) ?? []
  return isIPv6(address) ? withPort(`[${address.toLowerCase()}]`, digits) : null
}

/** Reads hosts and remembers the last one: nearly all requests to a server name the same. */
export function rememberHost(): typeof readHost {
  let last = ''
  let read: HostAndPort | null = null
  return (text) => {
    if (text !== last) read = readHost(text)
    last = text
    return read
  }
}

/** No digits mean the default port. */
function withPort(host: string, digits: string): HostAndPort | null {
  if (digits === '') return { host, port: null }
  const port = Number(digits)
  return port <= 65_535 ? { host, port } : null
}
