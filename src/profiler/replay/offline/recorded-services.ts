// Other services as one profile recorded them: a server on this machine, for one replay, that responds from the recording.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Redactor } from '../../../framework/redact/redactor.ts'
import { markOwn } from '../../../framework/node/own-mark.ts'
import type { StoredParts } from '../../stored-data.ts'
import { isMasked } from '../repeatable-request.ts'

type RecordedCall = StoredParts['http-client']['calls'][number]

/** The server makes these itself, and bodies are recorded decoded. */
const ownFields: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
])

/** Responds to each recorded request once, in the order in which they were sent; repeated with each replay. */
export class RecordedServices {
  readonly #calls: readonly RecordedCall[]
  readonly #redactor: Pick<Redactor, 'url'>
  readonly #server: Server
  /** Our own connections, by their port: nobody else on this machine gets a response. */
  readonly #clients = new Map<number, { readonly socket: Socket; readonly scheme: string }>()
  #left: RecordedCall[] = []

  constructor(calls: readonly RecordedCall[], redactor: Pick<Redactor, 'url'>) {
    this.#calls = calls
    this.#redactor = redactor
    this.#server = createServer((request, response) => this.#respond(request, response))
    markOwn(this.#server)
  }

  async open(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', reject).listen(0, '127.0.0.1', resolve)
    return promise
  }

  /** Starts over. */
  rewind(): void {
    this.#left = [...this.#calls]
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const { socket } of this.#clients.values()) socket.destroy()
  }

  /** A connection in place of one to a service. `whenOpen` is told once it can be written to. */
  connect(scheme: 'http' | 'https', whenOpen: (failure: Error | null, socket: Socket | null) => void): Socket {
    const address = this.#server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const socket = connect(port, '127.0.0.1')
    const fail = (failure: Error): void => whenOpen(failure, null)
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      const { localPort = 0 } = socket
      this.#clients.set(localPort, { socket, scheme })
      socket.once('close', () => this.#clients.delete(localPort))
      whenOpen(null, socket)
    })
    return socket
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const client = this.#clients.get(request.socket.remotePort ?? 0)
    if (client === undefined) return void request.socket.destroy()
    const { method = '', url = '', headers } = request
    const address = this.#redactor.url(`${client.scheme}://${headers.host ?? ''}${url}`)
    const at = this.#left.findIndex((call) => call.method === method && call.url === address)
    const [call] = at < 0 ? [] : this.#left.splice(at, 1)
    if (call === undefined || call.status === null) {
      const reason = `Offline replay: ${method} ${address} was not recorded, or not so often`
      return void client.socket.destroy(call === undefined ? new Error(reason) : failureOf(call))
    }
    const fields = call.responseHeaders.filter(
      ([name, value]) => !ownFields.has(name.toLowerCase()) && !isMasked(value),
    )
    response.writeHead(call.status, fields.flat())
    response.end(call.responseBody?.text ?? '')
  }
}

/** As the recorded one, with its code. */
function failureOf({ error }: RecordedCall): Error {
  const message = error ?? 'closed without a response'
  const code = /\bE[A-Z_]{3,30}\b/.exec(message)?.[0]
  return Object.assign(new Error(message), code === undefined ? {} : { code })
}
