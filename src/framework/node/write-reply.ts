// Sends a reply: one head, one body, whatever becomes of the connection. Reports once what left.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Reply, ReplyBody } from '../http/reply.ts'
import { constantPage } from './constant-pages.ts'
import type { Sent } from './front.ts'
import type { HeadWriter } from './head-writer.ts'
import { allFields, prepareHead, type ReplyHead } from './reply-head.ts'

/** Hears once what became of an answer; `null` where nobody wants to know. */
export type Report = ((sent: Sent) => void) | null

/**
 * Sends a reply: the head alone for HEAD, and the last of its connection if `isLast`. Reports when everything left or nothing
 * more can: when the response is closed. Never throws. `heads` writes the head, where nobody else has the response.
 */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  isHead: boolean,
  isLast: boolean,
  report: Report,
  heads?: HeadWriter,
): void {
  if (response.destroyed || response.req.socket.destroyed) {
    discard(reply.body)
    report?.({ bytes: 0, aborted: true })
    return
  }
  const head = writeHead(response, reply, isHead, isLast, heads)
  const { body } = head
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    if (body !== reply.body) discard(reply.body)
    const bytes = head.length ?? 0
    if (report !== null) response.on('close', () => report({ bytes, aborted: !response.writableFinished }))
    if (body === null) response.end()
    // As many bytes as characters means ASCII, which Latin-1 writes as it is, with less work than UTF-8.
    else if (typeof body === 'string' && body.length === bytes) response.end(body, 'latin1')
    else response.end(body)
    return
  }
  sendStream(response, body, report)
}

// A head that cannot be written (a bad character in a header, a status that is none) becomes the constant 500.
function writeHead(
  response: ServerResponse,
  reply: Reply,
  isHead: boolean,
  isLast: boolean,
  heads: HeadWriter | undefined,
): ReplyHead {
  try {
    const head = prepareHead(reply, isHead, isLast)
    if (heads === undefined) response.writeHead(head.status, allFields(head))
    else heads.write(response, head)
    return head
  } catch {
    const page = prepareHead(constantPage(500), isHead, true)
    response.writeHead(page.status, allFields(page))
    return page
  }
}

function sendStream(response: ServerResponse, body: Readable | ReadableStream<Uint8Array>, report: Report): void {
  let bytes = 0
  let failure: unknown
  const source = body instanceof Readable ? body : Readable.fromWeb(body)
  response.on('close', () => {
    const aborted = !response.writableFinished
    // The pipeline would see that the client went away with the next chunk only, and a body may be long in making one.
    if (aborted) source.destroy()
    report?.(aborted && failure !== undefined ? { bytes, aborted, error: failure } : { bytes, aborted })
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
  pipeline(source, counted, response, ignore)
}

/** Ends a body that nobody sends. */
export function discard(body: ReplyBody): void {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return
  if (body instanceof Readable) {
    body.on('error', ignore).destroy()
    return
  }
  if (!body.locked) void body.cancel().catch(ignore)
}

function ignore(): void {}
