// Pipelined requests are answered in turn: Node gives a response its socket when those before it are done. If the connection
// ends first, such a response is never told, and whoever waits for its end would wait for ever.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The responses of one server that wait for their turn. */
export class QueuedResponses {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>()

  /** Sees to it that a response ends with its connection, if it has not had its turn by then. */
  add(response: ServerResponse): void {
    const { socket } = response.req
    const waiting = this.#bySocket.get(socket) ?? this.#watch(socket)
    waiting.add(response)
    response.on('close', () => waiting.delete(response))
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const waiting = new Set<ServerResponse>()
    this.#bySocket.set(socket, waiting)
    socket.once('close', () => {
      for (const response of waiting) if (!response.destroyed) response.destroy()
    })
    return waiting
  }
}
