// A WebSocket handshake: Node hands over the bare connection, and this puts an ordinary response on it. So the request goes the way of
// every other one, and its connection changes to the other protocol or stays HTTP.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { nextTick } from '../../base/timing/builtins.ts'
import { listedFields } from '../../base/http/header-fields.ts'
import { http } from '../../base/http/node-http.ts'
import type { Reply } from '../../base/http/reply.ts'
import type { Upgrade } from '../../base/http/upgrade.ts'
import type { ClientConnection } from '../kernel/exchange.ts'

/** Whether a request wants to become a WebSocket. Of one with a body nobody could tell where it ends. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody
}

export class Handshake implements ClientConnection {
  readonly takesUpgrade = true
  readonly socket: Socket
  readonly response: ServerResponse
  readonly #head: Buffer

  /** `goesOn` gets the connection back when an ordinary response has left; `null`: it is closed then. Throws where the response to an earlier request is still on its way. */
  constructor(request: IncomingMessage, socket: Socket, head: Buffer, goesOn: ((socket: Socket) => void) | null) {
    const response = new http.ServerResponse(request)
    response.shouldKeepAlive = goesOn !== null && !/\bclose\b/i.test(request.headers.connection ?? '')
    response.assignSocket(socket)
    this.socket = socket
    this.response = response
    this.#head = head
    socket.on('error', this.#onError).on('drain', this.#onDrain).on('timeout', this.#onTimeout)
    response.on('finish', () => {
      this.#release()
      nextTick(() => response.emit('close'))
      if (goesOn === null || !response.shouldKeepAlive) {
        socket.destroySoon()
        return
      }
      if (head.length > 0) socket.unshift(head)
      goesOn(socket)
    })
  }

  get destroyed(): boolean {
    return this.socket.destroyed
  }

  get writableFinished(): boolean {
    return this.response.writableFinished
  }

  once(event: 'close', listener: () => void): unknown {
    return this.response.once(event, listener)
  }

  /** Hands the connection over. Throws what the taker throws. */
  takeOver({ accept }: Upgrade, reply: Reply): void {
    const { req: request } = this.response
    this.#release()
    this.socket.on('error', this.#onError)
    accept({ request, socket: this.socket, head: this.#head, headers: linesOf(reply) })
  }

  #release(): void {
    const { socket } = this
    this.response.detachSocket(socket)
    socket.off('error', this.#onError).off('drain', this.#onDrain).off('timeout', this.#onTimeout)
    socket.setTimeout(0)
  }

  readonly #onError = (): void => void this.socket.destroy()
  readonly #onDrain = (): void => void this.response.emit('drain')
  readonly #onTimeout = (): void => void this.response.emit('timeout')
}

/** Header fields as lines. Throws a TypeError for what would not be one line. */
function linesOf({ headers }: Reply): string[] {
  return Array.from(listedFields(headers), ([name, value]) => {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return `${name}: ${value}`
  })
}
