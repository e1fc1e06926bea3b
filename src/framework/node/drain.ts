// Closing a server without hurting anybody: running requests end, idle connections close at once, and a deadline ends the rest.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How a server was closed. */
export interface CloseReport {
  /** Connections that were still open at the deadline and were cut. */
  readonly forced: number
}

const checkEveryMs = 50

/**
 * Stops accepting and settles when the last connection is gone. Requests that run when it is called must be answered with
 * `Connection: close`, which is the server's part. Never rejects.
 */
export function closeServer(server: Server, sockets: ReadonlySet<Socket>, deadlineMs: number): Promise<CloseReport> {
  return new Promise((resolve) => {
    let forced = 0
    // An answer that began before the close promised to keep its connection: it becomes idle later.
    const idle = setInterval(() => server.closeIdleConnections(), checkEveryMs)
    const deadline = setTimeout(() => {
      forced = sockets.size
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
    }, deadlineMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(deadline)
      resolve({ forced })
    })
    server.closeIdleConnections()
    // To Node a connection that never sent a byte is one that waits for its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
}
