// WebSockets of `ws`: the connections that a server accepts, and those of clients.

import type { LoadHook } from '../integration.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { observe } from './observers.ts'

export const webSocketHooks: readonly LoadHook[] = [
  {
    package: 'ws',
    file: 'lib/websocket-server.js',
    value: 'module.exports',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'ws: server', methods: ['handleUpgrade'], observe }, observer),
  },
  {
    package: 'ws',
    file: 'lib/websocket.js',
    value: 'module.exports',
    take: (value, observer) => {
      // Those of a server have no URL.
      const concerns = (socket: object): boolean => typeof Reflect.get(socket, 'url') === 'string'
      observeAtFirstUse(value, { place: 'ws: client', methods: ['send'], observe, concerns }, observer)
    },
  },
]
