// TLS with HTTP/2 and HTTP/1.1 on one port: what an application does is the same over both.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { get } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { text as textOf } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import {
  createApp,
  html,
  json,
  loadRuntimeContext,
  RouteCollection,
  stream,
  text,
  upgrade,
  type App,
} from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'
import { ownCertificate } from '../support/own-certificate.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

const sockets = new WebSocketServer({ noServer: true })
const aborted: string[] = []
const held: (() => void)[] = []

function secureRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('home', '/', ({ request, cookies }) => {
    cookies.set('a', '1')
    cookies.set('b', '2')
    return html`<h1>${request.url} ${request.httpVersion}</h1>`
  })
  routes.post('notes', '/notes', async ({ request }) => json(await request.body.json(), { status: 201 }))
  routes.post('unread', '/unread', () => text('not read'))
  routes.get('broken', '/broken', () => {
    throw new Error('no room')
  })
  routes.get('lines', '/lines', () => stream(Readable.from(['one\n', 'two\n'])))
  routes.get('endless', '/endless', ({ signal }) => {
    signal.addEventListener('abort', () => aborted.push(String(signal.reason)))
    const body = new Readable({ read: () => undefined })
    body.push('begun')
    return stream(body)
  })
  routes.get('held', '/held', () => new Promise((resolve) => held.push(() => resolve(text('held')))))
  routes.get('socket', '/socket', () =>
    upgrade(({ request, socket, head }) =>
      sockets.handleUpgrade(request, socket, head, (client) => client.send('hello')),
    ),
  )
  return routes
}

/** An application that listens with TLS, and a client of HTTP/2. */
let app: App
let origin = ''
let client: ClientHttp2Session
const log = new LineList()

/** `maxBodyBytes` is small, so that a large body is easily made. */
async function start(env: Readonly<Record<string, string>>, tls?: typeof ownCertificate): Promise<void> {
  const { context } = loadRuntimeContext({ cwd: '/', env: { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0', ...env } })
  app = await createApp({ context, routes: secureRoutes(), log, maxBodyBytes: 100 })
  const address = await (tls === undefined ? app.listen() : app.listen({ tls }))
  origin = address.url
  client = connect(origin, { ca: ownCertificate.cert })
}

async function ask(headers: Readonly<Record<string, string>>, body?: string, from = client): Promise<Answer> {
  const request: ClientHttp2Stream = from.request(
    { accept: 'text/html', ...headers },
    { endStream: body === undefined },
  )
  if (body !== undefined) request.end(body)
  const [answered] = (await once(request, 'response')) as [Answer['headers']]
  return { status: Number(answered[':status']), headers: answered, body: await textOf(request) }
}

describe('an application that listens with TLS', () => {
  before(() => start({}, ownCertificate))
  after(async () => {
    client.close()
    await app.close()
  })

  it('says https, and serves HTTP/2 and HTTP/1.1 alike', async () => {
    assert.match(origin, /^https:\/\/127\.0\.0\.1:\d+$/)
    const second = await ask({ ':path': '/?x' })
    assert.equal(second.status, 200)
    assert.match(second.body, new RegExp(`<h1>${origin}/ 2\\.0</h1>`))
    assert.match(String(second.headers['x-debug-token']), /^[0-9a-z]{10,16}$/)
    assert.deepEqual(second.headers['set-cookie'], [
      'a=1; Path=/; HttpOnly; Secure; SameSite=Lax',
      'b=2; Path=/; HttpOnly; Secure; SameSite=Lax',
    ])
    const [first] = (await once(get(origin, { ca: ownCertificate.cert, agent: false }), 'response')) as [
      IncomingMessage,
    ]
    assert.deepEqual(first.headers['set-cookie'], second.headers['set-cookie'])
    assert.match(await textOf(first), new RegExp(`<h1>${origin}/ 1\\.1</h1>`))
    const head = await ask({ ':path': '/', ':method': 'HEAD' })
    assert.deepEqual([head.status, head.body], [200, ''])
  })

  it('reads bodies that no header announces, within the limit, and leaves others unread', async () => {
    const headers = { ':path': '/notes', ':method': 'POST', 'content-type': 'application/json' }
    const note = await ask(headers, '{"title":"Milk"}')
    assert.deepEqual([note.status, note.body], [201, '{"title":"Milk"}'])
    assert.equal((await ask(headers, JSON.stringify('x'.repeat(200)))).status, 413)
    assert.equal((await ask({ ':path': '/unread', ':method': 'POST' }, 'x'.repeat(100_000))).body, 'not read')
    assert.equal((await ask({ ':path': '/lines' })).body, 'one\ntwo\n')
  })

  it('shows errors, refuses two hosts, and records a profile', async () => {
    const broken = await ask({ ':path': '/broken' })
    assert.equal(broken.status, 500)
    assert.match(broken.body, /no room/)
    const missing = await ask({ ':path': '/nowhere', accept: 'application/json' })
    assert.equal(missing.status, 404)
    assert.match(missing.body, new RegExp(`No route found for \\\\"GET ${origin}/nowhere\\\\"`))
    assert.equal((await ask({ ':path': '/', ':authority': 'localhost', host: 'other.example' })).status, 400)
    const token = String(broken.headers['x-debug-token'])
    await until(async () => (await app.profiles?.read(token)) !== undefined)
    assert.equal((await ask({ ':path': `/_profiler/${token}` })).status, 200)
  })

  it('tells the handler that the client has gone', async () => {
    const request = client.request({ ':path': '/endless' })
    await once(request, 'data')
    assert.equal((await ask({ ':path': '/lines' })).status, 200)
    // Streams of one connection count one by one.
    const running = app.watchRunning()
    await until(() => running() === 1)
    request.close()
    await until(() => aborted.length === 1)
    await until(() => running() === 0)
    assert.match(aborted[0] ?? '', /The client went away/)
    // The connection goes on.
    assert.equal((await ask({ ':path': '/lines' })).status, 200)
  })

  it('takes WebSockets over HTTP/1.1, and none over HTTP/2', async () => {
    const socket = new WebSocket(`${origin.replace('https', 'wss')}/socket`, { ca: ownCertificate.cert })
    assert.equal(String((await once(socket, 'message'))[0]), 'hello')
    socket.terminate()
    assert.equal((await ask({ ':path': '/socket' })).status, 426)
    const refused = new WebSocket(`${origin.replace('https', 'wss')}/lines`, { ca: ownCertificate.cert })
    const [, answer] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage]
    assert.equal(await textOf(answer), 'one\ntwo\n')
  })

  it('lets running requests end when it closes, and takes no more', async () => {
    const running = ask({ ':path': '/held' })
    await until(() => held.length === 1)
    const goaway = once(client, 'goaway')
    const closed = app.close()
    await goaway
    held[0]?.()
    assert.equal((await running).body, 'held')
    await closed
  })
})

it('APP_TLS_KEY and APP_TLS_CERT: name the files, and belong together', async (test) => {
  const folder = makeTemporaryDirectory(test)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  writeFileSync(key, ownCertificate.key)
  writeFileSync(cert, ownCertificate.cert)
  await start({ APP_TLS_KEY: key, APP_TLS_CERT: cert })
  assert.equal((await ask({ ':path': '/lines' })).status, 200)
  client.close()
  await app.close()
  await assert.rejects(
    // @ts-expect-error it is called tls
    app.listen({ tsl: ownCertificate }),
    /Option "tsl" of app\.listen\(\) is unknown\. Allowed: tls/,
  )
  await assert.rejects(start({ APP_TLS_KEY: key }), /APP_TLS_KEY and APP_TLS_CERT belong together/)
  await assert.rejects(
    start({ APP_TLS_KEY: key, APP_TLS_CERT: join(folder, 'none.pem') }),
    /APP_TLS_CERT=".*none\.pem" cannot be read/,
  )
  await app.close()
})

it('app.handler: serves a server of HTTP/2', async () => {
  const { context } = loadRuntimeContext({ cwd: '/', env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
  const own = await createApp({ context, routes: secureRoutes(), log })
  const server = createServer(own.handler)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  assert.equal((await ask({ ':path': '/lines' }, undefined, session)).body, 'one\ntwo\n')
  assert.equal((await ask({ ':path': '/nowhere' }, undefined, session)).status, 404)
  session.close()
  server.close()
  await own.close()
})
