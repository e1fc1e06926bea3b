// Records a request that takes its connection over: a WebSocket. Its response is written to the bare socket, and its profile ends with the
// connection.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Reply } from '../framework/http/reply.ts'
import type { HttpRequest } from '../framework/http/request.ts'
import { Exchange, type ClientConnection } from '../framework/kernel/exchange.ts'
import { RecordedRequest } from './observed-request.ts'
import { defineOwn } from './own-property.ts'
import type { Profiling } from './start-profiling.ts'

/** Begins to record. `undefined` for a request that is not to be recorded. */
export function beginUpgrade(
  profiling: Profiling,
  read: HttpRequest,
  request: IncomingMessage,
): RecordedRequest | undefined {
  const { observing, log, notes } = profiling
  const { socket } = request
  const exchange = new Exchange({ request: read, log, client: clientOf(socket) })
  for (const recorder of observing.recorders) void recorder.onRequest?.(exchange)
  if (exchange.recording === undefined) return undefined
  const late = (_: Exchange, thrown: unknown): void => observing.noteUncaught(exchange, thrown)
  const observed = new RecordedRequest(exchange, { raw: request, capturesBody: false, late, notes })
  seeHead(socket, (head) => notes.guard('The head of a response', () => (exchange.reply = replyOf(head))))
  const ended = (): void =>
    notes.guard('The end of a request', () => {
      exchange.sent = { bytes: 0, aborted: exchange.reply === undefined }
      observed.end()
      const reply = (exchange.reply ??= new Reply(0, [], null))
      for (const recorder of observing.recorders) void recorder.onTerminate?.(exchange, reply)
    })
  // What serves the connection hears of the end first.
  socket.once('close', () => process.nextTick(ended))
  return observed
}

/** Only the first piece that leaves is looked at. */
function seeHead(socket: Socket, see: (head: string) => void): void {
  const methods = { write: socket.write, end: socket.end }
  for (const [name, method] of Object.entries(methods)) {
    defineOwn(socket, name, (...given: unknown[]): unknown => {
      for (const own of Object.keys(methods)) Reflect.deleteProperty(socket, own)
      see(String(given[0]).slice(0, 16_384))
      return Reflect.apply(method, socket, given)
    })
  }
}

/** `HTTP/1.1 101 Switching Protocols`, and the fields below it. */
function replyOf(text: string): Reply | undefined {
  const [head = ''] = text.split('\r\n\r\n', 1)
  const [line = '', ...fields] = head.split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]
  if (status === undefined) return undefined
  const pairs = fields.flatMap((field) => {
    const colon = field.indexOf(':')
    return colon < 0 ? [] : [field.slice(0, colon), field.slice(colon + 1).trim()]
  })
  return new Reply(Number(status), pairs, null)
}

function clientOf(socket: Socket): ClientConnection {
  return {
    get destroyed() {
      return socket.destroyed
    },
    get writableFinished() {
      return socket.writableFinished
    },
    socket,
    once: (event, listener) => socket.once(event, listener),
  }
}
