// WebSockets: of `ws`, observed where they are made, and of Node, which publishes when one opens and closes.

import { currentExchange, runInExchange } from '../../http/kernel/current-exchange.ts'
import { stackFrames } from '../../capture/begin-query.ts'
import { isOwn, type CaptureOwner } from '../../observe/owner.ts'
import { beginConnection, type LiveConnection } from '../../capture/live-connection.ts'
import { define } from '../../http/kernel/follow-call.ts'
import { hasMethods, markObserved, type ObservableOf } from '../observed/wrap-method.ts'
import { Channels, safely } from '../../observe/tracing-source.ts'

interface WsSocket {
  readonly protocol: string
  readonly url?: string | null | undefined
  emit(event: string | symbol, ...args: unknown[]): boolean
  send(data: unknown, ...rest: unknown[]): void
}

interface WsServer {
  handleUpgrade(request: object, socket: object, head: unknown, accepted: (...args: unknown[]) => unknown): void
}

const isObserved = Symbol.for('fanlight.websocket')

export const webSocketServer: ObservableOf<WsServer> = {
  what: 'a WebSocketServer of ws',
  fits: (target): target is WsServer => hasMethods(target, ['handleUpgrade', 'completeUpgrade']),
  observe: (target) => {
    if (markObserved(target)) observeServer(target)
  },
}

export const webSocketClient: ObservableOf<WsSocket> = {
  what: 'a WebSocket of ws',
  fits: isSocket,
  observe: (target) => observeSocket(target, 'client'),
}

/** Observes the connections that a server accepts from now on. */
function observeServer(server: WsServer): void {
  const { handleUpgrade } = server
  define(server, 'handleUpgrade', (...given: Parameters<WsServer['handleUpgrade']>) => {
    const [request, socket, head, accepted] = given
    handleUpgrade.call(server, request, socket, head, (...args) => {
      const connection: object = Object(args[0])
      if (isSocket(connection)) observeSocket(connection, 'server')
      return accepted(...args)
    })
  })
}

function isSocket(target: object): target is WsSocket {
  return hasMethods(target, ['emit', 'send', 'ping', 'terminate'])
}

/** Observes a connection; what hears its messages runs as a part of the request that is running now. */
function observeSocket(socket: WsSocket, role: 'server' | 'client'): void {
  const exchange = currentExchange()
  if (exchange === undefined || isObserved in socket) return
  const connection = beginConnection(() => ({
    protocol: 'websocket',
    role,
    url: role === 'client' ? (socket.url ?? null) : null,
    subprotocol: socket.protocol === '' ? null : socket.protocol,
    site: role === 'client' ? stackFrames : null,
  }))
  if (connection === undefined) return
  define(socket, isObserved, true)
  const { emit, send } = socket
  const release = (): void => {
    for (const name of ['emit', 'send', isObserved]) Reflect.deleteProperty(socket, name)
  }
  define(socket, 'emit', (event: string | symbol, ...args: unknown[]) => {
    safely('connections', () => heard(connection, event, args))
    const forward = (): boolean => Reflect.apply(emit, socket, [event, ...args])
    if (role === 'server') return runInExchange(exchange, forward)
    // A client may serve many requests.
    if (connection.isOver) release()
    return forward()
  })
  define(socket, 'send', (...given: Parameters<WsSocket['send']>) => {
    if (connection.isOver && role === 'client') {
      release()
      socket.send(...given)
      return undefined
    }
    // What `ws` refuses was not sent.
    const result = Reflect.apply(send, socket, given)
    safely('connections', () => noteMessage(connection, 'sent', isSentAsText(given[1]) ? textOf(given[0]) : given[0]))
    return result
  })
}

function heard(connection: LiveConnection, event: string | symbol, args: readonly unknown[]): void {
  const [first, second] = args
  if (event === 'message') noteMessage(connection, 'received', second === true ? first : textOf(first))
  else if (event === 'error') connection.fail(first)
  else if (event === 'close') connection.close(Number(first), Buffer.isBuffer(second) ? second.toString() : '')
}

function isSentAsText(options: unknown): boolean {
  return Reflect.get(Object(options), 'binary') === false
}

/** `ws` hands text over as bytes. */
function textOf(data: unknown): unknown {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data
}

function noteMessage(connection: LiveConnection, direction: 'received' | 'sent', data: unknown): void {
  const isText = typeof data === 'string' || typeof data === 'number'
  const text = isText ? String(data) : null
  connection.message({ direction, event: null, id: null, bytes: bytesOf(isText ? String(data) : data), text })
}

function bytesOf(data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data)
  if (data instanceof Blob) return data.size
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data.byteLength
  return Array.isArray(data) ? data.reduce<number>((sum, part) => sum + bytesOf(part), 0) : 0
}

/** WebSockets of Node. Opened by the request that is running when the connection opens. */
export function nodeWebSockets(owner: CaptureOwner): Channels {
  const connections = new WeakMap<object, LiveConnection>()
  return new Channels('connections', {
    'undici:websocket:open': (message) => {
      const { websocket } = message as { readonly websocket?: WebSocket }
      // Node 22 does not say which one it is.
      if (websocket === undefined || !isOwn(owner)) return
      const connection = beginConnection(() => ({
        protocol: 'websocket',
        role: 'client',
        url: websocket.url,
        subprotocol: websocket.protocol === '' ? null : websocket.protocol,
        site: null,
      }))
      if (connection === undefined) return
      connections.set(websocket, connection)
      websocket.addEventListener('message', ({ data }) =>
        safely('connections', () => noteMessage(connection, 'received', data)),
      )
      const { send } = websocket
      define(websocket, 'send', (data: Parameters<WebSocket['send']>[0]) => {
        send.call(websocket, data)
        safely('connections', () => noteMessage(connection, 'sent', data))
      })
    },
    'undici:websocket:close': (message) => {
      const { websocket, code, reason } = message as {
        readonly websocket: object
        readonly code: number
        readonly reason: string
      }
      connections.get(websocket)?.close(code, reason)
    },
  })
}
