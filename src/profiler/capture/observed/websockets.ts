// WebSockets of `ws`: a server with all of its connections, or the connection of a client.

import { isWsServer, isWsSocket, observeWsServer, observeWsSocket } from '../sources/websockets.ts'
import type { Observable } from './observable.ts'

export const webSocketServer: Observable = {
  what: 'a WebSocketServer of ws',
  fits: isWsServer,
  observe: (target) => {
    if (isWsServer(target)) observeWsServer(target)
  },
}

export const webSocketClient: Observable = {
  what: 'a WebSocket of ws',
  fits: isWsSocket,
  observe: (target) => {
    if (isWsSocket(target)) observeWsSocket(target, 'client')
  },
}
