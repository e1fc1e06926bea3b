// Requests that a client sends without waiting for the answers before them. Only the first one of a connection is worked on:
// those behind it may have effects that depend on it (RFC 9112 9.3.2), and their answers would be kept in memory for a client
// that perhaps never reads. Between two of them other connections have their turn.

import type { ServerResponse } from 'node:http'

/** Whether an earlier request of its connection is not answered yet. */
export function isBehindAnother(response: ServerResponse): boolean {
  return response.socket === null
}

/** Calls `begin` in the first turn of the event loop in which it is the request's turn; never when the connection ends before. */
export function whenItsTurnComes(response: ServerResponse, begin: () => void): void {
  // Node gives a response its socket when those before it have left.
  response.once('socket', (socket) => {
    setImmediate(() => {
      if (!socket.destroyed) begin()
    })
  })
}
