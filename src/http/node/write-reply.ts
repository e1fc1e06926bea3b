// Sends a reply: one head, one body, and one report of what left.

import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { discard, isStream, Reply, type ReplyBody } from '../../base/http/reply.ts'
import { hasLeft, isGone, wireHeaders } from './app-request.ts'
import type { Sent } from './request-handler.ts'
import { listedFields, protectiveHeaders } from '../../base/http/header-fields.ts'
import { statusText } from '../../base/http/node-http.ts'

interface PreparedReply {
  readonly status: number
  /** Flat list: name, value, name, value … */
  readonly headers: string[]
  /** What follows the head; `null` when nothing does. */
  readonly body: ReplyBody
  /** Bytes of the body; `null` for a stream. */
  readonly length: number | null
}

/**
 * Prepares a reply without changing it. The host decides length and framing: it counts `Content-Length` of whole bodies, keeps that
 * of streams, and drops `Transfer-Encoding` and `Connection` (except `close`). HEAD, 204 and 304 have no body.
 * Throws a RangeError for a status outside 200 to 999.
 */
export function prepareReply(reply: Reply, isHead: boolean, isLast: boolean): PreparedReply {
  const { status, body } = reply
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw new RangeError(`Cannot send status ${String(status)}; use 200 to 999`)
  }
  const headers: string[] = []
  let closes = isLast
  let declared: string | undefined
  let namesProtocol = false
  for (let index = 0; index < reply.headers.length; index += 2) {
    const name = reply.headers[index] ?? ''
    const value = reply.headers[index + 1] ?? ''
    // Most names are shorter or longer than all of these.
    if (name.length !== 7 && name.length !== 10 && name.length !== 14 && name.length !== 17) {
      headers.push(name, value)
      continue
    }
    switch (name.toLowerCase()) {
      case 'content-length':
        declared = /^\d{1,15}$/.test(value) ? value : undefined
        break
      case 'connection':
        closes ||= value.toLowerCase() === 'close'
        break
      case 'transfer-encoding':
        break
      case 'upgrade':
        namesProtocol = true
        headers.push(name, value)
        break
      default:
        headers.push(name, value)
    }
  }
  const length = byteLength(body)
  const contentLength = sentLength(status, body, length, declared, isHead)
  if (contentLength !== undefined) headers.push('content-length', contentLength)
  // A reply that names protocols says so there (RFC 9110, section 7.8).
  if (namesProtocol) headers.push('connection', closes ? 'upgrade, close' : 'upgrade')
  else if (closes) headers.push('connection', 'close')
  const hasBody = !isHead && status !== 204 && status !== 304
  return { status, headers, body: hasBody ? body : null, length: hasBody ? length : 0 }
}

/** `null` for a stream. */
function byteLength(body: ReplyBody): number | null {
  if (body === null) return 0
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : null
}

function sentLength(
  status: number,
  body: ReplyBody,
  length: number | null,
  declared: string | undefined,
  isHead: boolean,
): string | undefined {
  if (status === 204) return undefined
  if (status === 304 || length === null) return declared
  // A reply to HEAD may say the length of a body it never made.
  if (isHead && body === null) return declared ?? '0'
  return String(length)
}

/** Called once with what left; `null` if nobody asks. */
type Report = ((sent: Sent) => void) | null

/**
 * Sends a reply: only the head if `isHead`, with `Connection: close` if `isLast`. Reports when the response is closed. Never throws:
 * a head that Node refuses (a bad character in a header, an invalid status) becomes the constant 500.
 */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  isHead: boolean,
  isLast: boolean,
  report: Report,
): void {
  if (isGone(response)) {
    discard(reply.body)
    report?.({ bytes: 0, aborted: true })
    return
  }
  const { body, length } = writeHead(response, reply, isHead, isLast)
  if (body !== reply.body) discard(reply.body)
  if (isStream(body)) {
    sendStream(response, body, report)
    return
  }
  if (body === null) response.end()
  // Node writes head and ASCII body in one piece as Latin-1, in which header values may be.
  else if (typeof body === 'string' && body.length === length) response.end(body, 'latin1')
  else response.end(body)
  if (report === null) return
  const bytes = length ?? 0
  // Mostly the operating system has taken all of it by now, and no body is left unread. HTTP/2 cannot tell it so early.
  const { writableEnded, writableLength, req } = response
  if (!('stream' in response) && writableEnded && writableLength === 0 && req.complete && !req.socket.destroyed)
    report({ bytes, aborted: false })
  else response.on('close', () => report({ bytes, aborted: !hasLeft(response) }))
}

function writeHead(response: ServerResponse, reply: Reply, isHead: boolean, isLast: boolean): PreparedReply {
  try {
    // Node says by itself that it closes, but not beside a `Connection` field.
    const closes = isLast || (!response.shouldKeepAlive && reply.header('upgrade') !== undefined)
    const prepared = prepareReply(reply, isHead, closes)
    response.writeHead(prepared.status, wireHeaders(response, prepared.headers))
    return prepared
  } catch {
    const page = prepareReply(constantPage(500), isHead, true)
    response.writeHead(page.status, wireHeaders(response, page.headers))
    return page
  }
}

function sendStream(response: ServerResponse, body: Readable | ReadableStream<Uint8Array>, report: Report): void {
  let bytes = 0
  let failure: unknown
  const source = body instanceof Readable ? body : Readable.fromWeb(body)
  response.on('close', () => {
    const aborted = !hasLeft(response)
    // The pipeline notices a lost client only at the next chunk, which may take long.
    if (aborted) source.destroy()
    report?.(aborted && failure !== undefined ? { bytes, aborted, error: failure } : { bytes, aborted })
  })
  async function* counted(chunks: AsyncIterable<unknown>): AsyncGenerator<string | Uint8Array, void, undefined> {
    try {
      for await (const chunk of chunks) {
        if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) {
          throw new TypeError(`The stream of a reply yielded a ${typeof chunk}; it must yield strings or bytes`)
        }
        bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength
        yield chunk
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  // A wrong number of bytes would shift every later response on the connection.
  response.strictContentLength = true
  // The first chunk may take long: an `EventSource` is open once it has the head.
  response.flushHeaders()
  // If either side fails, the other is destroyed: a client never mistakes half a response for a whole one.
  pipeline(source, counted, response, ignore)
}

function ignore(): void {}

/** The constant response of a status; the connection closes after it. */
export function constantPage(status: number): Reply {
  return new Reply(status, [...constantHeaders, 'connection', 'close'], bodyOf(status))
}

/** The same as a whole HTTP message. */
export function constantBytes(status: number, extraHeaders: readonly string[] = []): string {
  return messageBytes(new Reply(status, [...constantHeaders, ...extraHeaders, 'connection', 'close'], bodyOf(status)))
}

/** A reply of text as a whole HTTP message. */
export function messageBytes({ status, headers, body }: Reply): string {
  const content = typeof body === 'string' ? body : ''
  const fields = [...headers, 'content-length', String(Buffer.byteLength(content))]
  let message = `HTTP/1.1 ${status} ${statusText(status)}\r\n`
  for (const [name, value] of listedFields(fields)) message += `${name}: ${value}\r\n`
  return `${message}\r\n${content}`
}

const constantHeaders: readonly string[] = ['content-type', 'text/html; charset=utf-8', ...protectiveHeaders]

function bodyOf(status: number): string {
  const title = `Error ${status} ${statusText(status)}`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1></html>\n`
}
