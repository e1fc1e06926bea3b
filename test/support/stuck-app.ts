// Starts an application whose handlers and listeners do not come to an end, and clients that wait for them.

import { get, type ClientRequest } from 'node:http'
import { text, type Listener } from '../../src/index.ts'
import { startEchoService } from './echo-service.ts'
import { shopRoutes, startApp, type RunningApp } from './running-app.ts'

/** The application, and what to do with it. */
export interface StuckApp {
  readonly running: RunningApp
  /** Address of the service that never answers. */
  readonly silentUrl: string
  /** Begins a request and does not wait; the client can be destroyed. */
  begin(target: string): ClientRequest
  /** Lets the handler of `/held` answer. */
  release(): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * `/never/{id}` never answers, `/silent` waits for a service that does not, `/held` until it is released, `/slow-listener`
 * is in the listener `doorkeeper`.
 */
export async function startStuckApp(): Promise<StuckApp> {
  const service = await startEchoService()
  const silentUrl = `${service.url}/silent?api_key=geheim-7`
  const held = Promise.withResolvers<void>()
  const routes = shopRoutes()
  routes.get('never', '/never/{id}', async () => new Promise<never>(() => undefined))
  routes.get('silent', '/silent', async () => fetch(silentUrl))
  routes.get('held', '/held', async ({ log }) => {
    log.warn('Waiting for {what}.', { what: 'the release' })
    await held.promise
    return text('released')
  })
  routes.get('slow-listener', '/slow-listener', () => text('never'))
  const doorkeeper: Listener = {
    name: 'doorkeeper',
    onMatch: async ({ request }) =>
      request.path === '/slow-listener' ? new Promise<never>(() => undefined) : undefined,
  }
  const running = await startApp({ routes, listeners: [doorkeeper], drainMs: 1 })
  const clients: ClientRequest[] = []
  return {
    running,
    silentUrl,
    begin: (target) => {
      const client = get(`${running.url}${target}`, (response) => response.resume())
      client.on('error', () => undefined)
      clients.push(client)
      return client
    },
    release: () => held.resolve(),
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy()
      await running[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}
