// Closing a server under load.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Readable } from 'node:stream'
import { stream, text, type Reply } from '../../../src/base/http/reply.ts'
import { NodeServer } from '../../../src/http/node/server.ts'
import { OneFunctionFront, startFront } from '../../support/front.ts'
import { RawConnection } from '../../support/raw-connection.ts'
import { until } from '../../support/until.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

describe('NodeServer.close', () => {
  it('closes idle connections at once, also those that never asked for anything', async () => {
    await using app = await startFront(() => text('ok'), { drainMs: 30_000 })
    const used = await RawConnection.open(app.port)
    used.send(get)
    await used.receive('ok')
    const fresh = await RawConnection.open(app.port)
    assert.deepEqual(await app.server.close(), { forced: 0 })
    await Promise.all([used.end(), fresh.end()])
  })

  it('lets running requests end with Connection: close and takes no new ones', async () => {
    const pending: ((reply: Reply) => void)[] = []
    await using app = await startFront(() => new Promise<Reply>((resolve) => pending.push(resolve)), {
      drainMs: 30_000,
    })
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(app.port)))
    for (const client of clients) client.send(get)
    await until(() => pending.length === 20)
    const closed = app.server.close()
    const late = await RawConnection.open(app.port)
    await late.end()
    for (const resolve of pending) resolve(text('done'))
    assert.deepEqual(await closed, { forced: 0 })
    for (const client of clients) {
      const answer = await client.end()
      assert.match(answer, /connection: close/i)
      assert.match(answer, /done$/)
    }
    assert.equal(app.front.sent.filter((sent) => !sent.aborted).length, 20)
  })

  it('lingers before it closes, and ends each connection with its next response', async () => {
    await using app = await startFront(() => text('ok'), { drainMs: 30_000 })
    const busy = await RawConnection.open(app.port)
    busy.send(get)
    await busy.receive('ok')
    const closed = app.server.linger(2000).then(() => app.server.close())
    busy.send(get)
    assert.match(await busy.end(), /connection: close[^]*ok$/i)
    const fresh = await RawConnection.open(app.port)
    fresh.send(get)
    assert.match(await fresh.end(), /^HTTP\/1\.1 200 [^]*connection: close/i)
    assert.deepEqual(await closed, { forced: 0 })
    await assert.rejects(fetch(app.address.url))
  })

  it('answers no pipelined request by half', async () => {
    const pending: ((reply: Reply) => void)[] = []
    await using app = await startFront(() => new Promise<Reply>((resolve) => pending.push(resolve)), {
      drainMs: 30_000,
    })
    const client = await RawConnection.open(app.port)
    client.send(get.repeat(10))
    await until(() => pending.length > 0)
    const closed = app.server.close()
    await until(() => {
      for (const resolve of pending) resolve(text('whole'))
      return client.isClosed
    })
    await closed
    assert.equal(client.answerCount, client.received.split('whole').length - 1)
  })

  it('closes a connection that becomes idle after closing began', async () => {
    const body = new Readable({ read: () => undefined })
    await using app = await startFront(() => stream(body), { drainMs: 30_000 })
    const client = await RawConnection.open(app.port)
    client.send(get)
    body.push('first')
    await client.receive('first')
    const closed = app.server.close()
    body.push(null)
    assert.deepEqual(await closed, { forced: 0 })
    assert.match(await client.end(), /0\r\n\r\n$/)
  })

  it('cuts what is left at the deadline and says how much', async () => {
    await using app = await startFront(
      ({ path }) =>
        path === '/endless' ? stream(new Readable({ read: () => undefined })) : new Promise<Reply>(() => undefined),
      { drainMs: 100 },
    )
    const slow = await RawConnection.open(app.port)
    slow.send('GET / HTTP/1.1\r\nHost: h\r\nX-Drip')
    const waiting = await RawConnection.open(app.port)
    waiting.send(get)
    const endless = await RawConnection.open(app.port)
    endless.send(get.replace('/', '/endless'))
    await until(() => app.front.requests.length === 2)
    assert.deepEqual(await app.server.close(), { forced: 3 })
    await Promise.all([slow.end(), waiting.end(), endless.end()])
  })

  it('can be called twice, and before listening', async () => {
    await using app = await startFront(() => text('ok'))
    assert.equal(app.server.close(), app.server.close())
    await app.server.close()
    await assert.rejects(app.server.listen({ port: 0 }), /was closed/)
  })

  it('rejects with the error of the socket when the port is in use', async () => {
    await using app = await startFront(() => text('ok'))
    const second = new NodeServer(new OneFunctionFront(() => text('ok')))
    await assert.rejects(second.listen({ port: app.port }), { code: 'EADDRINUSE', port: app.port })
  })
})

it('NodeServer.watchRunning: counts the requests that ran, until handler and response have ended, and none that came later', async () => {
  const pending: ((reply: Reply) => void)[] = []
  const chunks = new Readable({ read: () => undefined })
  await using app = await startFront(({ path }) => {
    if (path === '/stream') return stream(chunks)
    return path === '/' ? new Promise<Reply>((resolve) => pending.push(resolve)) : text('at once')
  })
  const [waiting, streaming, left, idle, later] = await Promise.all([
    RawConnection.open(app.port),
    RawConnection.open(app.port),
    RawConnection.open(app.port),
    RawConnection.open(app.port),
    RawConnection.open(app.port),
  ])
  waiting.send(get)
  left.send(get)
  streaming.send(get.replace('/', '/stream'))
  idle.send(get.replace('/', '/now'))
  await idle.receive('at once')
  await until(() => pending.length === 2 && app.front.requests.length === 4)
  const running = app.server.watchRunning()
  assert.equal(running(), 3)
  later.send(get)
  await until(() => pending.length === 3)
  assert.equal(running(), 3)
  assert.equal(app.server.watchRunning()(), 4)

  // The handler of a client that went away still works.
  left.socket.destroy()
  chunks.push('the end')
  chunks.push(null)
  await until(() => running() === 2)
  for (const resolve of pending.slice(0, 2)) resolve(text('done'))
  await waiting.receive('done')
  await until(() => running() === 0)
  assert.equal(app.server.watchRunning()(), 1)
  pending[2]?.(text('done'))
  await later.receive('done')
  await until(() => app.server.watchRunning()() === 0)
})
