// Answers what never becomes a request: bytes that are not HTTP, timeouts, CONNECT, expectations.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { constantBytes, constantPage } from './constant-pages.ts'
import { writeReply } from './write-reply.ts'

/**
 * Adds the listeners that answer bare sockets with constant bytes and close them. `hasBegunResponse` tells whether bytes of a response
 * have left on a socket. There is no `upgrade` listener: Node then treats the request as any other.
 */
export function answerBareSockets(server: Server, hasBegunResponse: (socket: Duplex) => boolean): void {
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // In the middle of a response the client would take a refusal for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunResponse(socket)) socket.destroy()
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

/** By code of the parser's error; all others are a 400. */
const bytesByCode: ReadonlyMap<string, string> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', constantBytes(408)],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', constantBytes(413)],
  ['HPE_HEADER_OVERFLOW', constantBytes(431)],
])

// A client that never closes its half would keep the socket after `end()` alone.
function endWith(socket: Duplex, bytes: string): void {
  socket.end(bytes, () => socket.destroy())
}
