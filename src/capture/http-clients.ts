// Captures HTTP requests of `fetch`, undici, `node:http` and `node:https`. A request is tied to its recording when it is created;
// later messages arrive in other contexts.

import type { ClientRequest, IncomingMessage } from 'node:http'
import { markCallSite } from '../observe/call-site.ts'
import { define } from '../http/kernel/follow-call.ts'
import { Channels, safely, type ChannelListener } from '../observe/tracing-source.ts'
import type { OutgoingRequests, RunningOutgoing } from './outgoing-requests.ts'
import { httpClientName, type OutgoingStart } from '../observe/outgoing/http-client-data.ts'
import { membersOf } from '../base/members.ts'

/** Where outgoing requests of the running request go; `undefined` if it is not recorded. */
export type CurrentOutgoing = () => OutgoingRequests | undefined

/** The frames of undici come first, about twenty of them. A redirect has no caller on its stack. */
const undiciFrames = 40

/** A request is found by its messages. */
interface UndiciMessage {
  readonly request: UndiciRequest
  readonly response: { readonly statusCode: number; readonly headers: readonly Buffer[] }
  readonly chunk: Uint8Array | string
  readonly error: unknown
}

export function fetchClient(current: CurrentOutgoing): Channels {
  const requests = new WeakMap<UndiciRequest, RunningOutgoing>()
  const begin = (request: UndiciRequest): void => {
    const outgoing = current()
    if (outgoing === undefined) return
    const origin = String(request.origin)
    const running = outgoing.begin(() => ({
      client: 'fetch',
      method: request.method,
      url: `${origin}${request.path}`,
      host: origin.slice(origin.indexOf('//') + 2),
      requestBytes: request.body === null ? 0 : (request.contentLength ?? null),
      site: markCallSite(undiciFrames),
    }))
    if (running !== undefined) {
      requests.set(request, running)
      if (Array.isArray(request.headers)) running.requestHeaders = request.headers
    }
    if (!namesTrace(request.headers)) outgoing.eachTraceHeader(running, (name, value) => request.addHeader(name, value))
  }
  const on =
    (hear: (running: RunningOutgoing, message: UndiciMessage) => void): ChannelListener =>
    (published) => {
      const message = published as UndiciMessage
      const running = requests.get(message.request)
      if (running !== undefined) hear(running, message)
    }
  return new Channels(httpClientName, {
    'undici:request:create': (message) => begin((message as UndiciMessage).request),
    'undici:client:sendHeaders': on((running) => running.sent()),
    'undici:request:bodyChunkSent': on((running, { chunk }) => {
      if (running.hasSeenBodies) running.wrote(bytesOf(chunk))
    }),
    'undici:request:bodySent': on((running) => running.wroteAll()),
    'undici:request:headers': on((running, { response }) =>
      // Copied: the buffers belong to undici.
      running.answered(
        response.statusCode,
        response.headers.map((field) => field.toString('latin1')),
      ),
    ),
    'undici:request:bodyChunkReceived': on((running, { chunk }) => running.received(bytesOf(chunk))),
    'undici:request:trailers': on((running) => running.ended()),
    'undici:request:error': on((running, { error }) => running.failed(error)),
  })
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

/** The part of undici's request that is read. */
interface UndiciRequest {
  readonly origin: string | URL
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names and values in turn, without `host` and `content-length`; one text in old versions. */
  readonly headers: readonly unknown[] | string
  readonly contentLength?: number | null
  /** `null` for a request without a body. */
  readonly body?: unknown
  addHeader(name: string, value: string): unknown
}

/** Whether the caller set the header itself. */
function namesTrace(headers: UndiciRequest['headers']): boolean {
  if (typeof headers === 'string') return /^traceparent:/im.test(headers)
  return headers.some(
    (name, index) => index % 2 === 0 && typeof name === 'string' && name.toLowerCase() === 'traceparent',
  )
}

/** A handful of Node's own frames comes first. */
const nodeFrames = 16

export function nodeHttpClient(current: CurrentOutgoing): Channels {
  const requests = new WeakMap<ClientRequest, Sent>()

  function created(request: ClientRequest): void {
    const outgoing = current()
    if (outgoing === undefined) return
    const running = outgoing.begin(() => startOf(request))
    if (running !== undefined) {
      const sent: Sent = { running, response: null }
      requests.set(request, sent)
      followHandOver(request, sent)
      if (running.hasSeenBodies) followSent(request, running)
      // A request closes when its response breaks off, or when its connection is taken over.
      request.once('close', () => {
        requests.delete(request)
        settle(sent)
      })
    }
    // If the headers were given as a list, they are written at once, and nothing can be added.
    if (request.headersSent || request.hasHeader('traceparent')) return
    outgoing.eachTraceHeader(running, (name, value) => request.setHeader(name, value))
  }

  function started(request: ClientRequest): void {
    const running = requests.get(request)?.running
    if (running === undefined) return
    running.requestHeaders = request.getRawHeaderNames().flatMap((name) => [name, request.getHeader(name)])
    whenConnected(request, () => {
      running.sent()
      // Headers given as a list cannot be read back: the connection tells the port.
      if (!request.hasHeader('host')) running.url = urlOf(request, `${request.host}:${request.socket?.remotePort}`)
    })
  }

  function responded({ request, response }: FinishedMessage): void {
    const sent = requests.get(request)
    if (sent === undefined) return
    sent.response = response
    sent.running.answered(response.statusCode ?? 0, response.rawHeaders)
    if (sent.running.hasSeenBodies) followBody(response, (chunk) => sent.running.received(chunk))
    // A connection that is not kept alive closes only after the caller has read the response.
    response.once('end', () => settle(sent))
  }

  return new Channels(httpClientName, {
    'http.client.request.created': (message) => created(requestOf(message)),
    'http.client.request.start': (message) => started(requestOf(message)),
    'http.client.response.finish': (message) => responded(message as FinishedMessage),
    'http.client.request.error': (message) =>
      requests.get(requestOf(message))?.running.failed(membersOf(message).error),
  })
}

/** A request, and its response once there is one. */
interface Sent {
  readonly running: RunningOutgoing
  response: AnyResponse | null
}

/** `upgrade` is set if the connection switched to another protocol. */
type AnyResponse = IncomingMessage & { readonly upgrade?: boolean | null }

interface FinishedMessage {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

function requestOf(message: unknown): ClientRequest {
  return (message as { request: ClientRequest }).request
}

function startOf(request: ClientRequest): OutgoingStart {
  const authority = authorityOf(request)
  return {
    client: 'node:http',
    method: request.method,
    url: urlOf(request, authority),
    host: authority,
    requestBytes: bodyBytes(request),
    site: markCallSite(nodeFrames),
  }
}

function settle({ running, response }: Sent): void {
  if (running.isOver) return
  const isHandedOver = response !== null && (response.upgrade || response.statusCode === 101)
  if (isHandedOver) running.answered(response.statusCode ?? 0, response.rawHeaders)
  if (isHandedOver || response?.complete === true) running.ended()
  else running.failed(new Error(response === null ? 'closed without a response' : 'the response broke off'))
}

/** No channel reports what arrives: it is seen as the parser hands it over. */
function followBody(response: IncomingMessage, received: (chunk: Uint8Array) => void): void {
  const { push } = response
  define(response, 'push', (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk instanceof Uint8Array) received(chunk)
    return push.call(response, chunk, encoding)
  })
}

/** No channel reports what is sent: it is seen as the caller writes it. */
function followSent(request: ClientRequest, running: RunningOutgoing): void {
  const { write, end } = request
  const see = ([chunk, encoding]: readonly unknown[]): void => {
    const known = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8'
    if (typeof chunk === 'string') running.wrote(Buffer.from(chunk, known))
    else if (chunk instanceof Uint8Array) running.wrote(chunk)
  }
  define(request, 'write', (...args: unknown[]) => {
    safely(httpClientName, () => see(args))
    return Reflect.apply(write, request, args)
  })
  define(request, 'end', (...args: unknown[]) => {
    safely(httpClientName, () => {
      if (request.writableEnded) return
      see(args)
      running.wroteAll()
    })
    return Reflect.apply(end, request, args)
  })
}

/** No channel reports a response that hands its connection over. Node drops one that nobody listens for, so only a listener brings ours. */
function followHandOver(request: ClientRequest, sent: Sent): void {
  const note = (response: IncomingMessage): void => void (sent.response = response)
  request.on('newListener', (event: string, listener: unknown) => {
    const isHandOver = event === 'upgrade' || event === 'connect'
    if (isHandOver && listener !== note && request.listenerCount(event) === 0) request.prependListener(event, note)
  })
}

function urlOf({ protocol, path }: ClientRequest, authority: string): string {
  return `${protocol}//${authority}${path}`
}

/** Host and port; without the port if the headers were given as a list. */
function authorityOf(request: ClientRequest): string {
  const host = request.getHeader('host')
  return typeof host === 'string' ? host : request.host
}

/** Size of the body as the caller declares it; 0 for a method without a body. */
function bodyBytes(request: ClientRequest): number | null {
  const length = request.getHeader('content-length')
  if (length === undefined) return request.useChunkedEncodingByDefault ? null : 0
  const bytes = Number(length)
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
}

/** Calls back once the request has a connection that is open. */
function whenConnected(request: ClientRequest, then: () => void): void {
  const whenSocket = (): void => {
    const { socket } = request
    if (socket === null) return
    if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then)
    else then()
  }
  if (request.socket === null) request.once('socket', whenSocket)
  else whenSocket()
}
