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
    else endWith(socket, bytesOf(statusOf(error.code)))
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    endWith(socket, connectBytes)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    writeReply(response, constantPage(417), { isHead: request.method === 'HEAD', isLast: true }, () => undefined)
  })
}

const badRequestBytes = constantBytes(400)
const timeoutBytes = constantBytes(408)
const tooLargeBytes = constantBytes(413)
const fieldsTooLargeBytes = constantBytes(431)
const connectBytes = constantBytes(405, ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])

function statusOf(code: string | undefined): 400 | 408 | 413 | 431 {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408
    default:
      return 400
  }
}

function bytesOf(status: 400 | 408 | 413 | 431): string {
  switch (status) {
    case 400:
      return badRequestBytes
    case 408:
      return timeoutBytes
    case 413:
      return tooLargeBytes
    case 431:
      return fieldsTooLargeBytes
  }
}

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
