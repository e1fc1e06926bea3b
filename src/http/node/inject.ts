// Sends a request to an application without a socket, through the same reading and writing as a server.

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { parseSetCookie, stringifyCookie, type SetCookie } from 'cookie'
import { fieldValue, headerPairs, listedFields, type HeaderFields } from '../../base/http/header-fields.ts'
import { http } from '../../base/http/node-http.ts'
import type { ReplyBody } from '../../base/http/reply.ts'
import { checkOptions, isRecord, text, wholeNumberRule, type OptionRules } from '../../base/options/check-options.ts'
import { TrustedProxies } from '../../base/http/trusted-proxies.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { constantPage, prepareReply } from './write-reply.ts'
import type { HandledRequest, RequestHandler } from './request-handler.ts'
import { readHost, readRequest, readTarget } from './app-request.ts'

/** A request for `app.inject()`. */
export interface InjectRequest {
  /** Default `GET`. */
  readonly method?: string
  /** Request target, `/a//b?x=1`. Default `/`. */
  readonly url?: string
  /** Header fields. Default: `Host: localhost`, and the type and length of a body. */
  readonly headers?: HeaderFields
  /** Cookies by name, or a jar that also keeps those of the response. Default: none. */
  readonly cookies?: CookieJar | Readonly<Record<string, string>>
  /** Bytes and text are sent as they are, `URLSearchParams` and `FormData` as a form, anything else as JSON. Default: none. */
  readonly body?: unknown
  /** Address of the client. Default `127.0.0.1`. */
  readonly peerAddress?: string
  /** Proxies whose forwarded headers are trusted. Default: none. */
  readonly trustedProxies?: TrustedProxies
  /** Largest body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number
}

const rules: OptionRules<InjectRequest> = {
  method: text,
  url: {
    allowed: "a path such as '/orders', or a whole URL",
    fits: (value) => typeof value === 'string' && /^\/|:\/\/|^\*$/.test(value),
  },
  headers: {
    allowed: 'a record of header fields, or Headers',
    fits: (value) => typeof value === 'object' && value !== null,
  },
  cookies: {
    allowed: 'a CookieJar, or a record of cookies by name',
    fits: (value) =>
      isRecord(value) && !(Symbol.iterator in value) && Object.values(value).every((one) => typeof one === 'string'),
    isSecret: true,
  },
  body: { allowed: 'anything', fits: () => true },
  peerAddress: text,
  trustedProxies: { allowed: 'TrustedProxies', fits: (value) => value instanceof TrustedProxies },
  maxBodyBytes: wholeNumberRule,
}

/** The response to an injected request. */
export interface InjectedResponse {
  readonly status: number
  /** Flat list as it would be sent: name, value, name, value … */
  readonly rawHeaders: readonly string[]
  /** First value of each header field, by its name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The cookies that it sets, in order. */
  readonly cookies: readonly InjectedCookie[]
  readonly bytes: Uint8Array
  /** The body as UTF-8 text. */
  readonly body: string
  /** The body as JSON; throws a SyntaxError for anything else. */
  json(): unknown
}

/** Sends one request through an application; a string is its URL. Rejects if the stream of the body fails: a client would see the response cut off. */
export async function inject<Handled extends HandledRequest = Exchange>(
  handler: RequestHandler<Handled>,
  asked: string | InjectRequest = {},
): Promise<InjectedResponse> {
  const request = typeof asked === 'string' ? { url: asked } : asked
  const { method, url, rawHeaders, payload, kept } = await readAsked(request)
  const { peerAddress = '127.0.0.1' } = request
  const read = readRequest(
    {
      method,
      target: url,
      httpVersion: '1.1',
      rawHeaders,
      peerAddress,
      isEncrypted: false,
      stream: payload === null ? null : Readable.from([payload.bytes], { objectMode: false }),
    },
    {
      trustedProxies: request.trustedProxies ?? new TrustedProxies(),
      defaultHost: { host: 'localhost', port: null },
      maxBodyBytes: request.maxBodyBytes ?? 1024 * 1024,
    },
  )
  const isHead = method === 'HEAD'
  if (read === null) {
    handler.refused?.({ method, path: readTarget(url)?.path ?? null, status: 400, client: peerAddress })
    const refusal = prepareReply(constantPage(400), isHead, true)
    return toResponse(refusal.status, refusal.headers, await collect(refusal.body))
  }
  const handled = await handler.handle(read)
  const head = prepareReply(handled.reply ?? constantPage(500), isHead, false)
  try {
    const bytes = await collect(head.body)
    handler.terminate(handled, { bytes: bytes.byteLength, aborted: false })
    return kept(toResponse(head.status, head.headers, bytes))
  } catch (error) {
    handler.terminate(handled, { bytes: 0, aborted: true, error })
    throw error
  }
}

/** Sends the same over a socket to a server of this machine. Rejects if the response is cut off. */
export async function sendAsked(port: number, asked: InjectRequest): Promise<InjectedResponse> {
  const { method, url, rawHeaders, payload, kept } = await readAsked(asked)
  const sent = http.request({ host: '127.0.0.1', port, method, path: url, headers: rawHeaders, agent: false })
  sent.end(payload?.bytes)
  const [received] = (await once(sent, 'response')) as [IncomingMessage]
  return kept(toResponse(received.statusCode ?? 0, received.rawHeaders, await collect(received)))
}

interface Asked {
  readonly method: string
  readonly url: string
  readonly rawHeaders: string[]
  readonly payload: Payload | null
  /** Gives the response, when its cookies are in the jar. */
  kept(response: InjectedResponse): InjectedResponse
}

async function readAsked(request: InjectRequest): Promise<Asked> {
  checkOptions<InjectRequest>('inject()', request, rules)
  const { method = 'GET', url = '/', cookies = {} } = request
  const payload = await readPayload(request.body)
  const { path, authority } = readTarget(url) ?? { path: '/', authority: null }
  const host = readHost(authority ?? fieldValue(headerPairs(request.headers), 'host') ?? 'localhost')?.host ?? ''
  const cookieField = cookies instanceof CookieJar ? cookies.fieldFor(host, path) : stringifyCookie(cookies)
  const rawHeaders = completeHeaders(request.headers, payload, cookieField)
  const kept = (response: InjectedResponse): InjectedResponse => {
    if (cookies instanceof CookieJar) cookies.keep(response.cookies, host, path)
    return response
  }
  return { method, url, rawHeaders, payload, kept }
}

interface Payload {
  readonly bytes: Buffer
  readonly contentType: string | null
}

async function readPayload(body: unknown): Promise<Payload | null> {
  if (body === undefined || body === null) return null
  if (typeof body === 'string') return { bytes: Buffer.from(body), contentType: null }
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), contentType: null }
  if (body instanceof URLSearchParams)
    return { bytes: Buffer.from(String(body)), contentType: 'application/x-www-form-urlencoded' }
  if (body instanceof FormData) {
    const form = new Response(body)
    return { bytes: Buffer.from(await form.arrayBuffer()), contentType: form.headers.get('content-type') }
  }
  return { bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json' }
}

function completeHeaders(fields: HeaderFields | undefined, payload: Payload | null, cookieField: string): string[] {
  const pairs = headerPairs(fields)
  if (cookieField !== '') pairs.push(['Cookie', cookieField])
  const has = (wanted: string): boolean => pairs.some(([name]) => name.toLowerCase() === wanted)
  if (!has('host')) pairs.unshift(['Host', 'localhost'])
  if (payload === null) return pairs.flat()
  if (payload.contentType !== null && !has('content-type')) pairs.push(['Content-Type', payload.contentType])
  if (!has('content-length')) pairs.push(['Content-Length', String(payload.bytes.byteLength)])
  return pairs.flat()
}

async function collect(body: ReplyBody): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body)
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Uint8Array | string>) {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

function toResponse(status: number, rawHeaders: readonly string[], bytes: Buffer): InjectedResponse {
  const headers = new Map<string, string>()
  const cookies: InjectedCookie[] = []
  for (const [sent, value] of listedFields(rawHeaders)) {
    const name = sent.toLowerCase()
    if (!headers.has(name)) headers.set(name, value)
    if (name === 'set-cookie') cookies.push(parseSetCookie(value) as InjectedCookie)
  }
  const body = bytes.toString('utf8')
  return { status, rawHeaders, headers, cookies, bytes, body, json: () => JSON.parse(body) }
}

/** A cookie that a response sets, with the attributes as sent. The value is decoded, with its signature if it has one. */
export type InjectedCookie = SetCookie & { readonly value: string }

interface Kept extends InjectedCookie {
  /** The domain, or the host itself if it names none. */
  readonly host: string
  readonly path: string
  readonly untilMs: number
}

/**
 * Keeps the cookies of one browser from request to request: `app.inject({ url: '/me', cookies: jar })`. Paths, domains and expiry count as in a
 * browser. Each request counts as one of the own site, over a connection that may have `secure` cookies.
 */
export class CookieJar {
  readonly #kept = new Map<string, Kept>()

  /** The `Cookie` field of a request, the longest path first; empty if none belongs to it. */
  fieldFor(host: string, path: string): string {
    const fitting = [...this.#kept.values()].filter(
      ({ host: own, domain, path: folder, untilMs }) =>
        untilMs > Date.now() &&
        (host === own || (domain !== '' && host.endsWith(`.${own}`))) &&
        (path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)),
    )
    const ordered = fitting.toSorted((one, other) => other.path.length - one.path.length)
    return ordered.map(({ name, value }) => stringifyCookie({ [name]: value })).join('; ')
  }

  /** Keeps what a response to this host and path set. */
  keep(cookies: readonly InjectedCookie[], host: string, path: string): void {
    for (const cookie of cookies) {
      const domain = (cookie.domain ?? '').replace(/^\./, '').toLowerCase()
      // Browsers drop a cookie for somebody else's domain.
      if (domain !== '' && host !== domain && !host.endsWith(`.${domain}`)) continue
      const own =
        cookie.path?.startsWith('/') === true ? cookie.path : path.slice(0, Math.max(path.lastIndexOf('/'), 1))
      const { maxAge, expires } = cookie
      const untilMs = maxAge === undefined ? (expires?.getTime() ?? Infinity) : Date.now() + maxAge * 1000
      const kept = { ...cookie, domain, host: domain === '' ? host : domain, path: own, untilMs }
      this.#kept.set(`${kept.name};${kept.host};${own}`, kept)
    }
  }
}
