// Responds to what never becomes a request, and the limits of every server.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { constantBytes, constantPage } from './constant-pages.ts'
import { readTarget } from './read-request.ts'
import type { RefusedBytes } from './refusal-page.ts'
import type { Refusal } from './request-handler.ts'
import { writeReply } from './write-reply.ts'

// Set explicitly, even if it is Node's default today. A missing Host is refused by readRequest with the usual page.
export const serverOptions = {
  insecureHTTPParser: false,
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  optimizeEmptyRequests: true,
  joinDuplicateHeaders: false,
  noDelay: true,
} as const

/**
 * Responds to what never becomes a request (bytes that are not HTTP, timeouts, CONNECT, expectations) and closes the connection. `hasBegunResponse` tells whether bytes of a response
 * have left on a socket, `isRefused` whether a request on it is being refused; `explain` is null if nothing is explained; `refused` hears of each. Other upgrades than WebSockets are ordinary requests.
 */
export function refuseBareSockets(
  server: Server,
  hasBegunResponse: (socket: Duplex) => boolean,
  isRefused: (socket: Duplex) => boolean,
  explain: { readonly maxHeaderBytes: number } | null,
  refused: (refusal: Refusal) => void,
): void {
  server.on('clientError', (error: ParserError, socket) => {
    const { code = '', reason = '', rawPacket: bytes = noBytes } = error
    // What follows a refused request on its connection gets no response of its own: the one of the refusal closes it.
    if (isRefused(socket) && !hasBegunResponse(socket)) return
    // In the middle of a response the client would take a refusal for a part of it.
    if (code === 'ECONNRESET' || !socket.writable || hasBegunResponse(socket)) {
      socket.destroy()
      return
    }
    const status = statusByCode.get(code) ?? 400
    refused({ method: null, path: null, status, client: addressOf(socket) })
    if (explain === null) endWith(socket, bytesByCode.get(code) ?? badRequestBytes)
    else void endExplained(socket, status, { code, reason, bytes }, explain.maxHeaderBytes)
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    refused({ method: 'CONNECT', path: null, status: 405, client: addressOf(socket) })
    endWith(socket, connectBytes)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { method = null, url = '', socket } = request
    refused({ method, path: readTarget(url)?.path ?? null, status: 417, client: addressOf(socket) })
    writeReply(response, constantPage(417), method === 'HEAD', true, null)
  })
}

function addressOf(socket: Duplex): string {
  return (socket as Duplex & { readonly remoteAddress?: string }).remoteAddress ?? ''
}

interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Uint8Array
}

const noBytes = new Uint8Array(0)
const badRequestBytes = constantBytes(400)
const connectBytes = constantBytes(405, ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])

/** By code of the parser's error; all others are a 400. */
const statusByCode: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
])

const bytesByCode: ReadonlyMap<string, string> = new Map(
  [...statusByCode].map(([code, status]) => [code, constantBytes(status)]),
)

/** Loads what explains with the first refusal: no start waits for it. */
async function endExplained(
  socket: Duplex,
  status: number,
  refused: RefusedBytes,
  maxHeaderBytes: number,
): Promise<void> {
  let bytes = constantBytes(status)
  try {
    const { refusalBytes } = await import('./refusal-page.ts')
    bytes = refusalBytes(status, refused, { ...serverOptions, maxHeaderBytes })
  } catch {
    // The constant page says enough.
  }
  if (socket.writable) endWith(socket, bytes)
  else socket.destroy()
}

// A client that never closes its half would keep the socket after `end()` alone.
function endWith(socket: Duplex, bytes: string): void {
  socket.end(bytes, () => socket.destroy())
}
