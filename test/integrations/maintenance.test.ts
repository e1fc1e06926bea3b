// `app.guardServer()`: the lock closes servers that others made; `closed-paths.test.ts` has those of frameworks.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2, type IncomingHttpHeaders } from 'node:http2'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import WebSocket, { WebSocketServer } from 'ws'
import { createApp, loadRuntimeContext, RouteCollection } from '../../src/index.ts'
import { linkAddress } from '../../src/maintenance/pass.ts'
import { LineList } from '../support/exchange.ts'
import { forAll } from '../support/for-all.ts'
import { openGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

const listening = async (server: Server): Promise<Server> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Responds `open` to everything. */
const startOpen = async (): Promise<Server> => listening(createServer((_request, response) => response.end('open')))

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

describe('app.guardServer()', async () => {
  const except = ['links', '/health/*', '10.0.0.0/8', 'host:admin.example']
  const gate = await forAll(openGate({ except, retryAfterSeconds: 90 }, { APP_TRUSTED_PROXIES: '127.0.0.1' }))
  const { guard, set } = gate

  it('closes a server, but for what is excepted', async () => {
    const server = guard(await startOpen())
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
    for (const path of ['/CHECKOUT/pay', '//checkout/pay', '/x/../checkout/pay', '/checkout;x/pay', '/%2e/checkout']) {
      assert.equal((await ask(server, path)).status, 503, path)
    }
    await set({})
    assert.equal((await ask(server, '/checkout/pay')).body, 'open')
  })

  it('lets in who follows a link of the lock', async () => {
    const server = guard(await startOpen())
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
    const server = await startOpen()
    const sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket) => socket.send('hello'))
    guard(server)
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

  for (const [event, head, refusal] of [
    ['checkContinue', 'POST /pay HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4', 503],
    ['checkExpectation', 'POST /pay HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 4', 503],
    ['connect', 'CONNECT a:80 HTTP/1.1\r\nHost: a:80', 400],
  ] as const) {
    it(`closes what a server listens to as "${event}"`, async () => {
      const server = await startOpen()
      server.on(event, (_request: IncomingMessage, response: Duplex) => {
        response.end(event === 'connect' ? 'HTTP/1.1 200 OK\r\n\r\nlistener' : 'listener')
      })
      guard(server)
      const send = async (): Promise<string> => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
        socket.write(`${head}\r\nConnection: close\r\n\r\n`)
        return textOf(socket)
      }
      assert.match(await send(), /^HTTP\/1\.1 200 OK[^]*listener/)
      await set({ value: 1 })
      const closed = await send()
      await set({})
      assert.doesNotMatch(closed, /listener/)
      assert.match(closed, new RegExp(`^HTTP/1\\.1 ${refusal} `))
    })
  }

  it('leaves handshakes alone where the server has no WebSockets', async () => {
    const server = guard(await startOpen())
    assert.equal(await shakeHands(server), 200)
  })

  it('counts the requests that run', async () => {
    const held = await listening(createServer((_request, response) => void held.emit('held', response)))
    guard(held)
    const arrived = once(held, 'held')
    const asked = ask(held, '/')
    const [response] = await arrived
    const running = gate.app.watchRunning()
    assert.equal(running(), 1)
    response.end('done')
    assert.equal((await asked).body, 'done')
    await until(() => running() === 0)
  })

  it('guards requests of HTTP/2, and refuses a server that listens to streams, which would pass', async (test) => {
    // Its type is not that of a server of HTTP/1.1.
    const asServer = (server: unknown): Server => server as Server
    const onRequest = createHttp2((_request, response) => response.end('open'))
    const onStream = createHttp2().on('stream', (stream) => stream.end('open'))
    const onBoth = createHttp2((_request, response) => response.end('open')).on('stream', () => undefined)
    for (const server of [onStream, onBoth])
      assert.throws(() => gate.app.guardServer(asServer(server)), {
        name: 'TypeError',
        message: 'app.guardServer() turns requests away, and this server of HTTP/2 listens to streams',
      })
    gate.app.guardServer(await listening(asServer(onRequest)))
    const client = connectHttp2(`http://127.0.0.1:${(onRequest.address() as AddressInfo).port}`)
    test.after(() => onRequest.close())
    test.after(() => client.close())
    const statusOf = async (path: string): Promise<unknown> => {
      const stream = client.request({ ':path': path })
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
      stream.close()
      return headers[':status']
    }
    assert.equal(await statusOf('/'), 200)
    await set({ value: 1 })
    assert.equal(await statusOf('/'), 503)
    await set({})
  })

  it('needs maintenance()', async () => {
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
    const bare = await createApp({ context, routes: new RouteCollection(), log: new LineList() })
    assert.throws(() => bare.guardServer(createServer()), {
      name: 'TypeError',
      message: 'app.guardServer() needs maintenance() among the plugins of the application',
    })
    await bare.close()
  })
})
