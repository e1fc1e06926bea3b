// What happens to a request body that nobody read. Left on the connection it would be taken for the next request; cut off at
// once it would cost the client the answer. So a little of it is read and thrown away, and then the connection closes.

import type { IncomingMessage } from 'node:http'

/** Bytes that are thrown away at most. */
const maxBytes = 1024 * 1024
/** How long that may take. */
const maxMs = 2000
const checkEveryMs = 50

/** Throws the rest of a body away once the answer has left, or closes the connection when it is too much of it. */
export function drainUnread(request: IncomingMessage): void {
  const { socket } = request
  if (request.complete || socket.destroyed) return
  request.resume()
  const firstByte = socket.bytesRead
  const since = performance.now()
  const timer = setInterval(check, checkEveryMs)
  timer.unref()
  function check(): void {
    if (request.complete || socket.destroyed) {
      clearInterval(timer)
    } else if (socket.bytesRead - firstByte > maxBytes || performance.now() - since > maxMs) {
      clearInterval(timer)
      socket.destroySoon()
    }
  }
}
