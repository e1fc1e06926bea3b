// Our application in front of servers that others made, with a lock in memory that closes them.

import type { Server } from 'node:http'
import {
  createApp,
  loadRuntimeContext,
  maintenance,
  RouteCollection,
  type App,
  type LockState,
  type MaintenanceOptions,
} from '../../src/index.ts'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { LineList } from './exchange.ts'

/** An application without routes; the servers that it guards end with it. */
export interface Gate extends AsyncDisposable {
  readonly app: App
  guard(server: Server): Server
  /** Locks with what is given, and nothing else. */
  set(state: Partial<LockState>): Promise<void>
}

/** Makes one for production. `env` adds variables. */
export async function openGate(
  options: Omit<MaintenanceOptions, 'store'>,
  env: Readonly<Record<string, string>> = {},
): Promise<Gate> {
  const { lock } = await openMemoryEngine()
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'prod', APP_STORE: 'memory:', ...env },
  })
  const plugins = [maintenance({ ...options, store: lock })]
  const app = await createApp({ context, routes: new RouteCollection(), plugins, log: new LineList() })
  const servers: Server[] = []
  return {
    app,
    guard(server) {
      servers.push(server)
      app.guardServer(server)
      return server
    },
    set: async (state) =>
      lock.write({ value: 0, reason: '', retryAfterSeconds: null, changedAt: new Date().toISOString(), ...state }),
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close().closeAllConnections()
      await app.close()
    },
  }
}
