// Answers for what never becomes a request: bytes that are no HTTP, time-outs, CONNECT, expectations. All of them are
// constant bytes, and the connection closes.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { constantBytes, constantPage } from './constant-pages.ts'
import { writeReply } from './write-reply.ts'

/** Sets the listeners of a server that answer bare sockets. It gets no `upgrade` listener: Node then treats the request as any other. */
export function answerBareSockets(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) socket.destroy()
    else endWith(socket, bytesByCode.get(error.code ?? '') ?? badRequestBytes)
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    endWith(socket, connectBytes)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    writeReply(response, constantPage(417), request.method === 'HEAD', true, null)
  })
}

const badRequestBytes = constantBytes(400)
const connectBytes = constantBytes(405, ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])

/** What the parser's errors mean to the client; all others are a 400. */
const bytesByCode: ReadonlyMap<string, string> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', constantBytes(408)],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', constantBytes(413)],
  ['HPE_HEADER_OVERFLOW', constantBytes(431)],
])

// After `end` the socket is closed for good, or a client that never closes its half would keep it.
function endWith(socket: Duplex, bytes: string): void {
  socket.end(bytes, () => socket.destroy())
}

// Node keeps the response that is being written on its socket. Bytes of a refusal in the middle of it would look like a part
// of it to the client.
function hasBegunAnswer(socket: Duplex): boolean {
  const { _httpMessage: response } = socket as Duplex & { readonly _httpMessage?: ServerResponse | null }
  return response?.headersSent === true
}
