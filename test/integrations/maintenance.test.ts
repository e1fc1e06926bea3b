// `app.guardServer()`: the lock closes applications of other frameworks.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { serve as serveHono } from '@hono/node-server'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import Fastify from 'fastify'
import { H3, serve as serveH3 } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import WebSocket, { WebSocketServer } from 'ws'
import {
  createApp,
  loadRuntimeContext,
  maintenance,
  RouteCollection,
  type App,
  type LockState,
  type LockStore,
} from '../../src/index.ts'
import { linkAddress } from '../../src/plugins/maintenance/pass.ts'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { LineList } from '../support/exchange.ts'
import { until } from '../support/until.ts'

class EmptyModule {
  readonly name = 'empty'
}

const listening = (server: Server): Server => server.listen(0, '127.0.0.1')

/** Each responds `open` to everything. */
const frameworks: Readonly<Record<string, () => Promise<Server>>> = {
  Express: async () => listening(createServer(express().use((_request, response) => void response.send('open')))),
  Fastify: async () => {
    const app = Fastify({ forceCloseConnections: true })
    app.all('/*', async () => 'open')
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  },
  Koa: async () => {
    const app = new Koa()
    app.use((context) => void (context.body = 'open'))
    return listening(createServer(app.callback()))
  },
  Hono: async () => {
    const app = new Hono().all('/*', (context) => context.text('open'))
    return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
  },
  Nest: async () => {
    const app = await NestFactory.create(EmptyModule, { logger: false })
    app.use((_request: unknown, response: { end(text: string): void }) => response.end('open'))
    await app.listen(0, '127.0.0.1')
    return app.getHttpServer() as Server
  },
  h3: async () => {
    const app = new H3().all('/**', () => 'open')
    const served = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true, gracefulShutdown: false })
    await served.ready()
    return served.node?.server as Server
  },
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly retryAfter: string
  readonly cookie: string
  readonly body: string
}

async function ask(server: Server, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', path, headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { 'content-type': type = '', 'retry-after': retryAfter = '' } = response.headers
  const [cookie = ''] = response.headers['set-cookie'] ?? []
  return { status: response.statusCode ?? 0, type, retryAfter, cookie, body: await textOf(response) }
}

/** What a WebSocket gets: its first message, or the status of the refusal. */
async function shakeHands(server: Server, headers: Readonly<Record<string, string>> = {}): Promise<string | number> {
  const { port } = server.address() as AddressInfo
  const client = new WebSocket(`ws://127.0.0.1:${port}/live`, { headers })
  client.on('error', () => undefined)
  const [opened, refused] = [once(client, 'message'), once(client, 'unexpected-response')]
  const outcome = await Promise.race([
    opened.then(([message]) => String(message)),
    refused.then(([, response]) => (response as IncomingMessage).statusCode ?? 0),
  ])
  client.terminate()
  return outcome
}

const routes = new RouteCollection()
const { context } = loadRuntimeContext({
  cwd: import.meta.dirname,
  env: { APP_ENV: 'prod', APP_STORE: 'memory:', APP_TRUSTED_PROXIES: '127.0.0.1' },
})

describe('app.guardServer()', () => {
  let lock: LockStore
  let gate: App
  const servers: Server[] = []
  before(async () => {
    lock = (await openMemoryEngine()).lock
    const except = ['links', '/health/*', '10.0.0.0/8', 'host:admin.example']
    const closing = maintenance({ store: lock, except, retryAfterSeconds: 90 })
    gate = await createApp({ context, routes, plugins: [closing], log: new LineList() })
  })
  after(async () => {
    for (const server of servers) server.close().closeAllConnections()
    await gate.close()
  })
  const set = async (state: Partial<LockState>): Promise<void> =>
    lock.write({ value: 0, reason: '', retryAfterSeconds: null, changedAt: new Date().toISOString(), ...state })

  for (const [name, start] of Object.entries(frameworks)) {
    it(`closes ${name}, but for what is excepted`, async () => {
      const server = await start()
      servers.push(server)
      if (!server.listening) await once(server, 'listening')
      gate.guardServer(server)
      assert.deepEqual([(await ask(server, '/')).status, (await ask(server, '/')).body], [200, 'open'])
      await set({ value: 1 })
      const closed = await ask(server, '/', { accept: 'application/json' })
      assert.deepEqual([closed.status, closed.type, closed.retryAfter], [503, 'application/problem+json', '90'])
      assert.match((await ask(server, '/', { accept: 'text/html' })).body, /<\/html>\s*$/)
      for (const [path, headers] of [
        ['/health/live', {}],
        ['/', { host: 'admin.example' }],
        ['/', { 'x-forwarded-for': '10.1.2.3' }],
      ] as const) {
        assert.equal((await ask(server, path, headers)).body, 'open', path)
      }
      await set({ only: ['/checkout/*'] })
      assert.equal((await ask(server, '/checkout/pay')).status, 503)
      assert.equal((await ask(server, '/basket')).body, 'open')
      await set({})
      assert.equal((await ask(server, '/checkout/pay')).body, 'open')
    })
  }

  it('lets in who follows a link of the lock', async () => {
    const server = listening(createServer((_request, response) => response.end('open')))
    servers.push(server)
    await once(server, 'listening')
    gate.guardServer(server)
    const link = { key: 'k'.repeat(43), expiresAt: '2099-01-01T00:00:00.000Z' }
    await set({ value: 1, link })
    const followed = await ask(server, linkAddress(link))
    assert.equal(followed.status, 303)
    const cookie = followed.cookie.split(';')[0] ?? ''
    assert.equal((await ask(server, '/', { cookie })).body, 'open')
    assert.equal((await ask(server, '/', { cookie: `${cookie}x` })).status, 503)
    await set({})
  })

  it('closes WebSockets of the server, and lets in those that are excepted', async () => {
    const server = listening(createServer((_request, response) => response.end('open')))
    servers.push(server)
    await once(server, 'listening')
    const sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket) => socket.send('hello'))
    gate.guardServer(server)
    assert.equal(await shakeHands(server), 'hello')
    const link = { key: 'k'.repeat(43), expiresAt: '2099-01-01T00:00:00.000Z' }
    await set({ value: 1, link })
    assert.equal(await shakeHands(server), 503)
    assert.equal(await shakeHands(server, { host: 'admin.example' }), 'hello')
    const followed = await ask(server, linkAddress(link))
    const cookie = followed.cookie.split(';')[0] ?? ''
    assert.equal(await shakeHands(server, { cookie }), 'hello')
    assert.equal(await shakeHands(server, { cookie: `${cookie}x` }), 503)
    await set({})
    assert.equal(await shakeHands(server), 'hello')
    sockets.close()
  })

  it('leaves handshakes alone where the server has no WebSockets', async () => {
    const server = listening(createServer((_request, response) => response.end('open')))
    servers.push(server)
    await once(server, 'listening')
    gate.guardServer(server)
    assert.equal(await shakeHands(server), 200)
  })

  it('counts the requests that run', async () => {
    const held = createServer((_request, response) => void held.emit('held', response)).listen(0, '127.0.0.1')
    servers.push(held)
    await once(held, 'listening')
    gate.guardServer(held)
    const arrived = once(held, 'held')
    const asked = ask(held, '/')
    const [response] = await arrived
    const running = gate.watchRunning()
    assert.equal(running(), 1)
    response.end('done')
    assert.equal((await asked).body, 'done')
    await until(() => running() === 0)
  })

  it('needs maintenance()', async () => {
    const bare = await createApp({ context, routes, log: new LineList() })
    assert.throws(() => bare.guardServer(createServer()), {
      name: 'TypeError',
      message: 'app.guardServer() needs maintenance() among the plugins of the application',
    })
    await bare.close()
  })
})
