// Sends a reply: one head, one body, whatever becomes of the connection. Reports once what left.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Reply, ReplyBody } from '../../http/reply.ts'
import { constantPage } from './constant-pages.ts'
import type { Sent } from './front.ts'
import { prepareHead, type ReplyHead } from './reply-head.ts'

/** How a reply is sent. */
export interface WriteOptions {
  /** Whether the request was HEAD: then the head is as for GET, and no body follows. */
  readonly isHead: boolean
  /** Whether the connection closes after this answer. */
  readonly isLast: boolean
}

/** Sends a reply and calls `report` once, when everything left or nothing more can: when the response is closed. Never throws. */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  options: WriteOptions,
  report: (sent: Sent) => void,
): void {
  if (response.destroyed || response.req.socket.destroyed) {
    discard(reply.body)
    report({ bytes: 0, aborted: true })
    return
  }
  const head = writeHead(response, reply, options)
  const { body } = head
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    if (body !== reply.body) discard(reply.body)
    const bytes = head.length ?? 0
    response.on('close', () => report({ bytes, aborted: !response.writableFinished }))
    if (body === null) response.end()
    else response.end(body)
    return
  }
  sendStream(response, body, report)
}

// A head that cannot be written (a bad character in a header, a status that is none) becomes the constant 500.
function writeHead(response: ServerResponse, reply: Reply, options: WriteOptions): ReplyHead {
  try {
    const head = prepareHead(reply, options.isHead, options.isLast)
    response.writeHead(head.status, head.headers)
    return head
  } catch {
    const page = prepareHead(constantPage(500), options.isHead, true)
    response.writeHead(page.status, page.headers)
    return page
  }
}

function sendStream(
  response: ServerResponse,
  body: Readable | ReadableStream<Uint8Array>,
  report: (sent: Sent) => void,
): void {
  let bytes = 0
  let failure: unknown
  response.on('close', () => {
    const aborted = !response.writableFinished
    report(aborted && failure !== undefined ? { bytes, aborted, error: failure } : { bytes, aborted })
  })
  async function* counted(chunks: AsyncIterable<unknown>): AsyncGenerator<string | Uint8Array, void, undefined> {
    try {
      for await (const chunk of chunks) {
        if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) {
          throw new TypeError(`A stream of a reply gave a ${typeof chunk}; allowed are strings and bytes`)
        }
        bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength
        yield chunk
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  // More or fewer bytes than announced would shift every answer that follows on the connection.
  response.strictContentLength = true
  // Where either side breaks off, the other one is destroyed: a client never takes half an answer for a whole one.
  pipeline(body instanceof Readable ? body : Readable.fromWeb(body), counted, response, ignore)
}

function discard(body: ReplyBody): void {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return
  if (body instanceof Readable) {
    body.on('error', ignore).destroy()
    return
  }
  if (!body.locked) void body.cancel().catch(ignore)
}

function ignore(): void {}
