// Sends a recorded request to the application that runs in this process, over its own port.

import type { ClientRequest, IncomingMessage } from 'node:http'
import { performance } from '../../framework/timing/builtins.ts'
import { finished } from 'node:stream/promises'
import type { ClientConnection } from '../../framework/kernel/exchange.ts'
import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import { runOutsideExchanges } from '../../framework/kernel/current-exchange.ts'
import type { ReplayMessage } from './edited-request.ts'
import { replayHeader } from './replays.ts'

/** Where an application of this process listens. */
export interface OwnAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
}

/** The address at which a request came in; `null` if there is none: a Unix socket, a test without a server. */
export function ownAddress(client: ClientConnection | undefined): OwnAddress | null {
  const { socket } = client ?? {}
  if (typeof socket !== 'object' || socket === null) return null
  // A session of HTTP/2 has its own socket.
  const line: unknown = 'localPort' in socket || !('socket' in socket) ? socket : socket.socket
  if (typeof line !== 'object' || line === null || !('localAddress' in line && 'localPort' in line)) return null
  const { localAddress: host, localPort: port } = line
  if (typeof host !== 'string' || typeof port !== 'number') return null
  return { host, port, isEncrypted: 'encrypted' in line && line.encrypted === true }
}

/** What came back. `status` is `null` without a response; `problem` says what went wrong. */
export interface SentReplay {
  readonly status: number | null
  readonly token: string | null
  readonly durationMs: number
  readonly problem: string | null
}

interface SendOptions {
  readonly ticket: string
  /** How long the whole response may take, in milliseconds. */
  readonly timeoutMs: number
}

/** Sends it and reads the response to its end. Never rejects. */
export async function sendReplay(to: OwnAddress, message: ReplayMessage, options: SendOptions): Promise<SentReplay> {
  const startedMs = performance.now()
  const late = AbortSignal.timeout(options.timeoutMs)
  let response: IncomingMessage | undefined
  let problem: string | null = null
  try {
    response = await runOutsideExchanges(() => responseTo(open(to, message, options.ticket, late), message.body))
    await finished(response.resume())
  } catch (error) {
    const after = `within ${options.timeoutMs / 1000} seconds`
    const reason = late.aborted ? `it did not end ${after}` : describeFailure(error).message
    problem = response === undefined ? `No response: ${reason}.` : `The response broke off: ${reason}.`
  }
  const token = response?.headers['x-debug-token']
  return {
    status: response?.statusCode ?? null,
    token: typeof token === 'string' ? token : null,
    durationMs: performance.now() - startedMs,
    problem,
  }
}

function open(to: OwnAddress, message: ReplayMessage, ticket: string, signal: AbortSignal): ClientRequest {
  const { method, target: path, host, headers, body } = message
  const fields = [
    ['Host', host],
    ...headers,
    ...(body === null ? [] : [['Content-Length', String(Buffer.byteLength(body))]]),
    [replayHeader, ticket],
    ['Connection', 'close'],
  ]
  const options = { host: to.host, port: to.port, method, path, headers: fields.flat(), agent: false, signal }
  // Importing them would load a `fetch` that the application may not have.
  const { getBuiltinModule } = process
  if (!to.isEncrypted) return getBuiltinModule('node:http').request(options)
  // The application talks to itself: whatever certificate it has is its own.
  return getBuiltinModule('node:https').request({
    ...options,
    rejectUnauthorized: false,
    servername: host.replace(/:\d+$/, ''),
  })
}

function responseTo(request: ClientRequest, body: string | null): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.once('response', resolve).on('error', reject)
  // As bytes: Node would send fields and text together in the encoding of the text.
  request.end(body === null ? undefined : Buffer.from(body))
  return promise
}
