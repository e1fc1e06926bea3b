// WebSockets: the handshake is a request like any other, and what accepts it is `ws`.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { HttpError, RouteCollection, text, upgrade, type Exchange } from '../../src/index.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'

const sockets = new WebSocketServer({ noServer: true })

/** Echoes what comes, and says goodbye when the application closes. */
function echo({ request: { params }, signal, cookies }: Exchange): ReturnType<typeof upgrade> {
  cookies.set('seen', '1')
  return upgrade(({ request, socket, head, headers }) => {
    const addHeaders = (lines: string[]): void => void lines.push(...headers)
    sockets.once('headers', addHeaders)
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('message', (data) => client.send(`${params['room']}: ${String(data)}`))
      if (params['room'] === 'polite') signal.addEventListener('abort', () => client.close(1001))
    })
    sockets.off('headers', addHeaders)
  })
}

function chatRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('room', '/rooms/{room}', echo)
  routes.get('private', '/private', echo, {
    guard: () => {
      throw new HttpError(401, 'Log in')
    },
  })
  routes.get('plain', '/plain', () => text('plain'))
  routes.get('slow', '/slow', () => new Promise<never>(() => undefined))
  routes.get('broken', '/broken', () =>
    upgrade(() => {
      throw new Error('no room')
    }),
  )
  return routes
}

const open = async (running: RunningApp, path: string): Promise<WebSocket> => {
  const client = new WebSocket(`ws://127.0.0.1:${running.port}${path}`)
  await once(client, 'open')
  return client
}

/** The response to a handshake that is refused. */
const refusal = async (running: RunningApp, path: string): Promise<IncomingMessage> => {
  const client = new WebSocket(`ws://127.0.0.1:${running.port}${path}`)
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
  response.resume()
  return response
}

const handshake = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

describe('a WebSocket', () => {
  it('is accepted by the handler of its route, with cookies and a profile of the handshake', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    const client = new WebSocket(`ws://127.0.0.1:${running.port}/rooms/hall`)
    client.on('open', () => client.send('hello'))
    const answered = once(client, 'message')
    const [response] = (await once(client, 'upgrade')) as [IncomingMessage]
    assert.match(String(response.headers['set-cookie']), /^seen=1; Path=\/; HttpOnly; SameSite=Lax$/)
    const token = String(response.headers['x-debug-token'])
    assert.equal(String((await answered)[0]), 'hall: hello')
    await until(async () => (await running.profiles.read(token)) !== undefined)
    const profile = await running.profiles.read(token)
    assert.deepEqual([profile?.status, profile?.route, profile?.method], [101, 'room', 'GET'])
    const page = await running.send({ target: `/_profiler/${token}` })
    assert.match(page.body, /<title>Request \/ Response: 101 GET \/rooms\/hall/)
    client.close()
    await once(client, 'close')
  })

  it('is refused as any other request would be', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    assert.equal((await refusal(running, '/private')).statusCode, 401)
    assert.equal((await refusal(running, '/nowhere')).statusCode, 404)
    assert.equal((await refusal(running, '/plain')).statusCode, 200)
    await using closed = await startApp({ routes: chatRoutes(), env: { APP_LOCK: '1' } })
    assert.equal((await refusal(closed, '/rooms/hall')).statusCode, 503)
  })

  it('leaves nothing on a connection of which it was refused', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    using client = await RawConnection.open(running.port)
    for (let count = 1; count <= 15; count += 1) {
      client.send(handshake('/private'))
      await until(() => client.answerCount === count)
    }
    process.off('warning', note)
    assert.deepEqual(warnings, [])
  })

  it('needs a handshake: other requests get a 426 that says so', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    const response = await running.send({ target: '/rooms/hall', headers: ['Accept: application/json'] })
    assert.equal(response.status, 426)
    assert.equal(response.header('upgrade'), 'websocket')
    assert.match(response.header('connection') ?? '', /^upgrade/)
    assert.match(
      String((JSON.parse(response.body) as { detail: string }).detail),
      /takes WebSocket connections: send GET/,
    )
    assert.equal((await running.app.inject({ url: '/rooms/hall' })).status, 426)
  })

  it('needs somebody to accept it', () => {
    // @ts-expect-error the connection goes to a function
    assert.throws(() => upgrade(sockets), /upgrade\(\) takes a function that accepts the connection/)
  })

  it('gets a 500 where nobody takes it, and the log says why', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    assert.equal((await refusal(running, '/broken')).statusCode, 500)
    await until(() => JSON.stringify(running.log.lines).includes('no room'))
  })

  it('leaves no cookie of a handshake that the library refuses to the next client', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    using refused = await RawConnection.open(running.port)
    refused.send(handshake('/rooms/hall').replace('dGhlIHNhbXBsZSBub25jZQ==', 'short'))
    await refused.end()
    assert.match(refused.received, /^HTTP\/1\.1 400 /)
    const client = new WebSocket(`ws://127.0.0.1:${running.port}/rooms/hall`)
    const [response] = (await once(client, 'upgrade')) as [IncomingMessage]
    assert.equal(response.headers['set-cookie']?.length, 1)
    client.close()
    await once(client, 'close')
  })

  it('begins with what the client sent behind the handshake, and never before an earlier response', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    using early = await RawConnection.open(running.port)
    // A text frame `hi`, masked with zeros.
    early.send(`${handshake('/rooms/hall')}\u0081\u0082\0\0\0\0hi`)
    await early.receive('hall: hi')
    assert.match(early.received, /^HTTP\/1\.1 101 /)
    using pipelined = await RawConnection.open(running.port)
    pipelined.send(`GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n${handshake('/rooms/hall')}`)
    await pipelined.end()
    assert.equal(pipelined.received, '')
  })

  it('goes on with HTTP on the connection of a refused handshake', async () => {
    await using running = await startApp({ routes: chatRoutes() })
    using client = await RawConnection.open(running.port)
    client.send(`${handshake('/plain')}GET /plain?again HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await until(() => client.received.split('HTTP/1.1 200').length === 3)
    client.send('GET /plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await client.end()
    assert.equal(client.received.split('HTTP/1.1 200').length, 4)
  })

  it('is refused 100 times on a connection, which has 1,000 requests at most', async () => {
    await using running = await startApp({ routes: chatRoutes(), env: { APP_ENV: 'prod' } })
    for (const [sent, most] of [
      [handshake('/plain'), 100],
      ['GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n', 1000],
    ] as const) {
      using client = await RawConnection.open(running.port)
      client.send(sent.repeat(most + 5))
      await client.end()
      assert.equal(client.received.split('HTTP/1.1 200').length - 1, most)
    }
  })

  it('is waited for when the application closes, and cut at the deadline', async () => {
    const running = await startApp({ routes: chatRoutes() })
    const polite = await open(running, '/rooms/polite')
    const stubborn = await open(running, '/rooms/stubborn')
    const codes = Promise.all([once(polite, 'close'), once(stubborn, 'close')])
    await running.app.close()
    assert.deepEqual(
      (await codes).map(([code]) => Number(code)),
      [1001, 1006],
    )
    const cut = running.log.lines.find(({ message }) => message.includes('had not ended within the deadline'))
    assert.equal(cut?.context['forced'], 1)
  })
})
