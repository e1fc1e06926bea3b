// WebSockets and streams of events in profiles: the real `ws`, the WebSocket of Node, `EventSource` streams over a socket.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { WebSocketServer } from 'ws'
import { observe } from '../../../src/capture.ts'
import { compress, json, RouteCollection, stream, upgrade } from '../../../src/index.ts'
import { profiler } from '../../../src/profiler.ts'
import { maxMessages, maxMessageText } from '../../../src/capture/live-connection.ts'
import type { ConnectionsData } from '../../../src/capture/activities/connections.ts'
import type { OpenRequest, OpenRequestsData } from '../../../src/capture/open-requests.ts'
import { pageText } from '../../support/page-text.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { noBodiesOfFetch } from '../../support/node-features.ts'
import { pick } from '../../support/pick.ts'

const sockets = observe(new WebSocketServer({ noServer: true }))

function liveRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('chat', '/chat', ({ log, signal }) =>
    upgrade(({ request, socket, head, headers }) => {
      const addHeaders = (lines: string[]): void => void lines.push(...headers)
      sockets.once('headers', addHeaders)
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.on('message', (data, isBinary) => {
          log.info('Heard.')
          client.send(data, { binary: isBinary })
        })
        signal.addEventListener('abort', () => client.close(1001))
      })
    }),
  )
  routes.get('events', '/events/{kind}', ({ request: { params }, signal }) => {
    async function* events(): AsyncGenerator<string | Buffer> {
      yield 'retry: 10\n\n: nothing\n\nid: 7\nevent: price\ndata: {"password":"hunter2",'
      yield Buffer.from('"name":"Zoë"}\n\n').subarray(0, 11)
      yield Buffer.from('"name":"Zoë"}\n\n').subarray(11)
      yield 'data: a\r\ndata:b\r\n\r\n'
      if (params['kind'] === 'failing') throw new Error('The source of events is gone')
      while (params['kind'] === 'endless' && !signal.aborted) await once(signal, 'abort')
    }
    return stream(Readable.from(events()), { headers: { 'content-type': 'text/event-stream' } })
  })
  routes.get('client', '/client/{port}', async ({ request: { params } }) => {
    const client = new WebSocket(`ws://127.0.0.1:${params['port']}/chat?token=abcdefghijklmnop`)
    await once(client, 'open')
    client.send('from here')
    await once(client, 'message')
    client.close(4000, 'enough')
    await once(client, 'close')
    return json({})
  })
  return routes
}

type Connection = ConnectionsData['entries'][number]

/** Everything counts as slow but what stays open. */
const slow = { recording: { slowMs: 1 } } as const

describe('a WebSocket of this application', () => {
  it('shows messages in both directions, masked, while it is open and when it has ended', async () => {
    await using running = await startApp({ routes: liveRoutes(), ...slow })
    const { client, heard } = await openChat(running)
    client.send('{"password":"hunter2","to":"Ada"}')
    client.send(new Uint8Array([1, 2, 3]))
    await until(() => heard.length === 2)
    const { token, connection } = await openRequest(running)
    assert.deepEqual([connection?.protocol, connection?.received, connection?.sent], ['websocket', 2, 2])
    const { body } = await running.send({ target: '/_profiler/open-requests' })
    assert.match(pageText(body), /WebSocket: 2 messages received, 2 sent\. Last message .* ago\./)
    const open = await connectionOf(running, token)
    assert.deepEqual([open.protocol, open.role, open.url], ['websocket', 'server', null])
    assert.deepEqual([open.closed, open.durationMs, open.error], [null, null, null])
    const panel = await running.send({ target: `/_profiler/${token}?panel=connections` })
    assert.match(pageText(panel.body), /open WebSocket of this request/)
    assert.match(pageText(panel.body), /← received 33 B \{"password":"\*{6}","to":"Ada"\}/)

    client.close(4001, 'done')
    await until(async () => (await connectionOf(running, token)).closed !== null)
    const ended = await connectionOf(running, token)
    assert.deepEqual(ended.closed, { code: 4001, reason: 'done' })
    const counted = { count: 2, bytes: 36 }
    assert.deepEqual([ended.received, ended.sent], [counted, counted])
    const masked = '{"password":"******","to":"Ada"}'
    assert.deepEqual(pick(ended.messages, 'direction', 'text'), [
      ['received', masked],
      ['sent', masked],
      ['received', null],
      ['sent', null],
    ])
    const profile = await running.profiles.read(token)
    assert.deepEqual([profile?.status, profile?.logCount], [101, 3])
    assert.equal(profile?.findings.includes('slow'), false)
    const markdown = await running.send({ target: `/_profiler/${token}.md?panel=connections` })
    assert.match(markdown.body, /`connections`[^]*- `closed 4001` `done` WebSocket of this request/)
  })

  it('keeps the newest messages, and their beginning', async () => {
    await using running = await startApp({ routes: liveRoutes() })
    const { client, heard } = await openChat(running)
    const count = maxMessages / 2 + 5
    for (let index = 0; index < count; index += 1) client.send(`${index} ${'x'.repeat(maxMessageText)}`)
    await until(() => heard.length === count)
    const { token } = await openRequest(running)
    const { messages, sent, received } = await connectionOf(running, token)
    assert.deepEqual([sent.count, received.count, messages.length], [count, count, maxMessages])
    assert.equal(messages.at(-1)?.text?.length, maxMessageText)
    const { body } = await running.send({ target: `/_profiler/${token}?panel=connections` })
    assert.match(pageText(body), /10 earlier messages not kept\./)
    client.close()
    await once(client, 'close')
  })

  it('is written when the application closes', async () => {
    const running = await startApp({ routes: liveRoutes() })
    const { client } = await openChat(running)
    const { token } = await openRequest(running)
    await Promise.all([once(client, 'close'), running.app.close()])
    const { closed, durationMs } = await connectionOf(running, token)
    assert.deepEqual(closed, { code: 1001, reason: '' })
    assert.equal(typeof durationMs, 'number')
  })
})

describe('a stream of events', () => {
  it('shows its events as they leave, whatever the pieces', async () => {
    await using running = await startApp({ routes: liveRoutes(), ...slow })
    const { body, header } = await running.send({ target: '/events/short' })
    assert.match(body, /data: a\r\ndata:b/)
    const token = header('x-debug-token') ?? ''
    const { messages, sent, protocol, durationMs } = await connectionOf(running, token)
    assert.deepEqual([protocol, sent], ['event-stream', { count: 2, bytes: 82 }])
    assert.equal(typeof durationMs, 'number')
    assert.deepEqual(pick(messages, 'event', 'id', 'bytes', 'text'), [
      ['price', '7', 63, '{"password":"******","name":"Zoë"}'],
      ['message', null, 19, 'a\nb'],
    ])
    assert.equal((await running.profiles.read(token))?.findings.includes('slow'), false)
    const panel = await running.send({ target: `/_profiler/${token}?panel=connections` })
    assert.match(pageText(panel.body), /ended Server-Sent Events of this request/)
  })

  it('is read before compress() compresses it', async () => {
    await using running = await startApp({ routes: liveRoutes(), plugins: [compress({ types: ['text/*'] })] })
    const headers = ['accept-encoding: gzip']
    const { header } = await running.send({ target: '/events/short', headers })
    assert.equal(header('content-encoding'), 'gzip')
    const { messages, encoding } = await connectionOf(running, header('x-debug-token') ?? '')
    assert.deepEqual([messages.length, encoding], [2, null])
  })

  it('keeps no text with captureMessages: false', async () => {
    await using running = await startApp({ routes: liveRoutes(), captureMessages: false })
    const token = (await running.send({ target: '/events/short' })).header('x-debug-token') ?? ''
    const { messages, sent } = await connectionOf(running, token)
    assert.equal(sent.count, 2)
    assert.deepEqual(pick(messages, 'event', 'bytes', 'text'), [
      ['price', 63, null],
      ['message', 19, null],
    ])
    const panel = await running.send({ target: `/_profiler/${token}?panel=connections` })
    assert.match(pageText(panel.body), /63 B price id 7 not kept/)
    assert.throws(() => profiler({ captureMessages: 'no' as never }), /"captureMessages" of profiler\(\) is "no"/)
  })

  it('ends with its client, and its body with it', async () => {
    await using running = await startApp({ routes: liveRoutes() })
    const leaving = new AbortController()
    const response = await fetch(`${running.url}/events/endless`, { signal: leaving.signal })
    const token = response.headers.get('x-debug-token') ?? ''
    await until(async () => (await connectionOf(running, token)).sent.count === 2)
    assert.equal((await openRequest(running)).connection?.protocol, 'event-stream')
    leaving.abort()
    await until(async () => (await connectionOf(running, token)).durationMs !== null)
  })

  it('tells of a body that fails as before', async () => {
    await using running = await startApp({ routes: liveRoutes() })
    await assert.rejects(fetch(`${running.url}/events/failing`).then((response) => response.text()))
    await until(() => JSON.stringify(running.log.lines).includes('The source of events is gone'))
  })
})

it('the WebSocket of Node: shows where it leads, masked, and what passed', { skip: noBodiesOfFetch }, async () => {
  await using other = await startApp({ routes: liveRoutes() })
  await using running = await startApp({ routes: liveRoutes() })
  const { header } = await running.send({ target: `/client/${other.port}` })
  const { url, role, messages, closed } = await connectionOf(running, header('x-debug-token') ?? '')
  assert.equal(url, `ws://127.0.0.1:${other.port}/chat?token=******`)
  assert.deepEqual([role, closed], ['client', { code: 4000, reason: 'enough' }])
  assert.deepEqual(pick(messages, 'direction', 'text'), [
    ['sent', 'from here'],
    ['received', 'from here'],
  ])
})

async function openChat(running: RunningApp): Promise<{ client: WebSocket; heard: unknown[] }> {
  const client = new WebSocket(`${running.url.replace('http', 'ws')}/chat`)
  const heard: unknown[] = []
  client.addEventListener('message', ({ data }) => heard.push(data))
  await once(client, 'open')
  return { client, heard }
}

/** The only one that is open. */
async function openRequest(running: RunningApp): Promise<OpenRequest> {
  const response = await running.send({ target: '/_profiler/open-requests.json' })
  const { requests } = JSON.parse(response.body) as OpenRequestsData
  assert.equal(requests.length, 1)
  const [request] = requests
  assert.ok(request)
  return request
}

async function connectionOf(running: RunningApp, token: string): Promise<Connection> {
  let found: Connection | undefined
  await until(async () => {
    const profile = await running.profiles.read(token)
    const data = profile?.data['connections'] as ConnectionsData | undefined
    return (found = data?.entries[0]) !== undefined
  })
  assert.ok(found)
  return found
}
