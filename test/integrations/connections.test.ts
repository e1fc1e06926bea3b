// WebSockets and streams of events in other frameworks, without a line in the application: `ws` as it is, Express and a bare server.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import type * as Ws from 'ws'
import type { ConnectionsData } from '../../src/capture/activities/connections.ts'
import { ask, profileOf, profilesOf } from './served.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { register } = await import('../../src/integrations/registration.ts')
register()
const require = createRequire(import.meta.url)
const { WebSocketServer, WebSocket: WsClient } = require('ws') as typeof Ws
const { default: express } = await import('express')
const { default: compression } = await import('compression')

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close().closeAllConnections()
})

describe('WebSockets in other frameworks', () => {
  it('have a profile with their messages, from the first request of the server on', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server, path: '/chat' })
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${String(data)}`)))
    const port = await listening(server)
    const client = new WebSocket(`ws://127.0.0.1:${port}/chat?room=1`)
    await once(client, 'open')
    client.send('hello')
    await once(client, 'message')
    const open = await ask(port, { path: '/_profiler/open-requests.json' })
    const [request] = (JSON.parse(open.text) as { requests: readonly { token: string; connection: unknown }[] })
      .requests
    assert.ok(request)
    assert.deepEqual((request.connection as { received: number }).received, 1)
    client.close(4002, 'enough')
    await once(client, 'close')
    let profile = await profileOf(port, request.token)
    await until(async () => {
      profile = await profileOf(port, request.token)
      return connectionIn(profile)?.closed?.code === 4002
    })
    assert.equal(profile.status, 101)
    assert.ok((await profilesOf(port)).some(({ url }) => url.endsWith('/chat?room=1')))
    assert.deepEqual(messagesOf(profile), [
      ['received', null, 'hello'],
      ['sent', null, 'echo hello'],
    ])
  })

  it('shows a refused handshake with its status', async () => {
    const server = createServer()
    server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'))
    const port = await listening(server)
    const client = new WebSocket(`ws://127.0.0.1:${port}/secret`)
    await once(client, 'error')
    await until(async () => (await profilesOf(port)).some(({ url }) => url.endsWith('/secret')))
    const found = (await profilesOf(port)).filter(({ url }) => url.endsWith('/secret'))
    assert.deepEqual(pick(found, 'status'), [403])
  })
})

it('a client of ws, and streams of events in Express: shows both in one profile', async () => {
  const chat = createServer()
  const sockets = new WebSocketServer({ server: chat })
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))))
  const chatPort = await listening(chat)
  const client = new WsClient(`ws://127.0.0.1:${chatPort}/`)
  await once(client, 'open')
  const app = express()
  app.get('/events', async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    client.send('how are you?')
    await once(client, 'message')
    response.write('event: news\ndata: one\n\ndata: tw')
    response.write(Buffer.from('o\n\n'))
    response.end('data: three\n\n')
  })
  app.get('/compressed', compression({ threshold: 0 }), (_, response) => {
    response.set('content-type', 'text/event-stream')
    response.end('data: one\n\n')
  })
  const port = await listening(createServer(app))
  const packed = await ask(port, { path: '/compressed', headers: { 'accept-encoding': 'gzip' } })
  const packedProfile = await profileOf(port, String(packed.headers['x-debug-token']))
  const shown = connectionIn(packedProfile)
  assert.deepEqual([shown?.encoding, shown?.messages, shown?.sent.count], ['gzip', [], 0])
  assert.ok(shown !== undefined && shown.sent.bytes > 10)
  const page = await ask(port, { path: `/_profiler/${String(packed.headers['x-debug-token'])}?panel=connections` })
  assert.match(page.text, /compressed with gzip[^]*Compressed events cannot be read here/)
  for (let round = 0; round < 2; round += 1) {
    const got = await ask(port, { path: '/events' })
    assert.equal(got.text, 'event: news\ndata: one\n\ndata: two\n\ndata: three\n\n')
    const profile = await profileOf(port, String(got.headers['x-debug-token']))
    const { entries } = profile.data['connections'] as ConnectionsData
    const summary = entries.map(({ protocol, role, messages }) => [protocol, role, messages.map(({ text }) => text)])
    assert.deepEqual(summary, [
      ['event-stream', 'server', ['one', 'two', 'three']],
      ['websocket', 'client', ['how are you?', 'how are you?']],
    ])
  }
  client.close()
})

interface Answered {
  readonly data: Readonly<Record<string, unknown>>
}

function connectionIn({ data }: Answered): ConnectionsData['entries'][number] | undefined {
  return (data['connections'] as ConnectionsData | undefined)?.entries[0]
}

function messagesOf(profile: Answered): unknown[] {
  return (connectionIn(profile)?.messages ?? []).map(({ direction, event, text }) => [direction, event, text])
}

async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
