// What happens to a request body that nobody read. Left on the connection it would be taken for the next request; cut off at
// once it would cost the client the answer. So a little of it is read and thrown away, and then the connection closes.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'

/** Bytes that are thrown away at most. */
const maxBytes = 1024 * 1024
/** How long that may take. */
const maxMs = 2000
const checkEveryMs = 50

/** What is to be done with the connection once the body is out of the way. */
export interface UnreadBody {
  /** Whether the connection closes then, because the client or the server wants to. */
  readonly closes: boolean
}

/**
 * Keeps Node from closing the connection together with an answer that is sent while the body still arrives: the client, still
 * writing, would lose the answer to the reset. Call it before the head is written; `null` when the body has arrived.
 */
export function holdOpen(request: IncomingMessage, response: ServerResponse, isClosing: boolean): UnreadBody | null {
  if (request.complete) return null
  const closes = isClosing || !response.shouldKeepAlive
  response.shouldKeepAlive = true
  return { closes }
}

/** Throws the rest of a body away once the answer has left, or closes the connection when it is too much of it. */
export function drainUnread(request: IncomingMessage, { closes }: UnreadBody): void {
  const { socket } = request
  if (!request.complete) request.resume()
  const firstByte = socket.bytesRead
  const since = performance.now()
  const timer = setInterval(check, checkEveryMs)
  check()
  function check(): void {
    const isTooMuch = socket.bytesRead - firstByte > maxBytes || performance.now() - since > maxMs
    if (!request.complete && !socket.destroyed && !isTooMuch) return
    clearInterval(timer)
    if (closes || !request.complete) socket.destroySoon()
  }
}
