// Reads a request once, as sent: target, Host and the few headers that decide about host and body, in one pass over the raw
// headers. It never throws; what cannot be served is a refusal.

import type { Readable } from 'node:stream'
import { emptyBody, RequestBody } from '../http/body.ts'
import { RequestContext } from '../http/request-context.ts'
import type { Forwarded, TrustedProxies } from '../http/trusted-proxies.ts'
import { readHost, type HostAndPort, type HostReader } from './read-host.ts'
import { readTarget } from './read-target.ts'

/** A request as the host's parser gives it. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** `1.1` or `1.0`. */
  readonly httpVersion: string
  /** Name, value, name, value … as sent. */
  readonly rawHeaders: readonly string[]
  /** Address of the socket's other end; empty where there is none. */
  readonly peerAddress: string
  /** Whether the connection is encrypted. */
  readonly isEncrypted: boolean
  /** The body's bytes; only looked at when a header announces a body. */
  readonly stream: Readable | null
}

/** How requests are read. */
export interface ReadOptions {
  readonly trustedProxies: TrustedProxies
  readonly hosts: HostReader
  /** Host of a request of HTTP/1.0 that names none. */
  readonly defaultHost: HostAndPort
  /** More bytes of a body than this are a 413. */
  readonly maxBodyBytes: number
}

/** A request that can be served. */
export interface ReadRequest {
  readonly context: RequestContext
  readonly body: RequestBody
}

/** Reads a request; `null` when it must be refused with 400: its Host is missing, doubled or malformed, its target is none, or its body is framed oddly. */
export function readRequest(raw: RawRequest, options: ReadOptions): ReadRequest | null {
  const { rawHeaders } = raw
  let hostHeader: string | undefined
  let hostCount = 0
  let contentLength: string | undefined
  let contentType: string | undefined
  let contentEncoding: string | undefined
  let transferEncoding: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    switch (name.length) {
      case 4:
        if (isNamed(name, 'Host', 'host')) {
          hostHeader = rawHeaders[index + 1]
          hostCount += 1
        }
        break
      case 12:
        if (contentType === undefined && isNamed(name, 'Content-Type', 'content-type'))
          contentType = rawHeaders[index + 1]
        break
      case 14:
        if (isNamed(name, 'Content-Length', 'content-length')) contentLength = rawHeaders[index + 1]
        break
      case 16:
        if (name.toLowerCase() === 'content-encoding') contentEncoding = rawHeaders[index + 1]
        break
      case 17:
        if (name.toLowerCase() === 'transfer-encoding') {
          transferEncoding = transferEncoding === undefined ? rawHeaders[index + 1] : 'doubled'
        }
        break
    }
  }
  const target = readTarget(raw.target)
  if (target === null || hostCount > 1) return null
  // Any other framing is read one way here and another way elsewhere (RFC 9112, section 11.2).
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') return null
  let named = readNamedHost(hostHeader, raw.httpVersion, options)
  if (named !== null && target.authority !== null) named = readHost(target.authority)
  if (named === null) return null

  const forwarded = options.trustedProxies.isEmpty ? null : options.trustedProxies.resolve(raw.peerAddress, rawHeaders)
  const scheme = forwarded?.scheme ?? (raw.isEncrypted ? 'https' : 'http')
  const { host, port } = forwarded === null ? named : forwardedHost(forwarded, named)
  const context = new RequestContext({
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
  })
  if (transferEncoding === undefined && contentLength === undefined) return { context, body: emptyBody }
  const body = new RequestBody({
    stream: raw.stream,
    contentType,
    contentLength: contentLength === undefined ? undefined : readLength(contentLength),
    contentEncoding,
    maxBytes: options.maxBodyBytes,
  })
  return { context, body }
}

/** As `Number()`, which leaves the compiled code for each text. */
function readLength(text: string): number {
  if (text === '' || text.length > 9) return Number(text)
  let length = 0
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - 0x30
    if (digit < 0 || digit > 9) return Number(text)
    length = length * 10 + digit
  }
  return length
}

/** Whether it is a name, in any letter case: nearly all clients write it in one of two ways. */
function isNamed(name: string, usual: string, lowerCase: string): boolean {
  return name === usual || name === lowerCase || name.toLowerCase() === lowerCase
}

// Only HTTP/1.0 may leave Host out (RFC 9112, section 3.2).
function readNamedHost(
  header: string | undefined,
  httpVersion: string,
  { hosts, defaultHost }: ReadOptions,
): HostAndPort | null {
  if (header !== undefined) return hosts.read(header)
  return httpVersion === '1.0' ? defaultHost : null
}

// A forwarded host that is none is passed over: the proxy's own Host is good. A forwarded port goes with whatever host counts.
function forwardedHost(forwarded: Forwarded, named: HostAndPort): HostAndPort {
  const host = (forwarded.host === null ? null : readHost(forwarded.host)) ?? named
  if (forwarded.port !== null) return { host: host.host, port: forwarded.port }
  return host
}
