// Requests as they come over a socket: what reaches the application, and what is refused before.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text, type Reply } from '../../../src/base/http/reply.ts'
import { TrustedProxies } from '../../../src/base/http/trusted-proxies.ts'
import { startFront } from '../../support/front.ts'
import { exchangeBytes, RawConnection } from '../../support/raw-connection.ts'
import { until } from '../../support/until.ts'

const close = 'Connection: close\r\n\r\n'

describe('NodeServer: requests', () => {
  it('hands path, query and headers over exactly as sent', async () => {
    await using app = await startFront(() => text('ok'))
    await exchangeBytes(
      app.port,
      `GET //a/../b.php?x=%zz HTTP/1.1\r\nHost: Shop.Example:81\r\nX-A: 1\r\nx-a: 2\r\n${close}`,
    )
    const [context] = app.front.requests
    assert.equal(context?.url, 'http://shop.example:81//a/../b.php')
    assert.equal(context?.rawQuery, 'x=%zz')
    assert.deepEqual(context?.headerValues('x-a'), ['1', '2'])
    assert.equal(context?.peerAddress, '127.0.0.1')
  })

  it('closes a connection with the response to its thousandth request', async () => {
    await using app = await startFront(() => text('ok'))
    const client = await RawConnection.open(app.port)
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(999))
    await until(() => client.answerCount === 999)
    assert.doesNotMatch(client.received, /connection: close/i)
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.match(await client.end(), /connection: close/i)
    assert.equal(client.answerCount, 1000)
  })

  it('believes forwarded headers of a trusted peer', async () => {
    await using app = await startFront(() => text('ok'), { trustedProxies: new TrustedProxies(['127.0.0.0/8']) })
    const headers =
      'X-Forwarded-Host: shop.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 9.9.9.9, 1.2.3.4\r\n'
    await exchangeBytes(app.port, `GET /x HTTP/1.1\r\nHost: h:8080\r\n${headers}${close}`)
    assert.equal(app.front.requests[0]?.url, 'https://shop.example/x')
    assert.equal(app.front.requests[0]?.clientAddress, '1.2.3.4')
    assert.equal(app.front.requests[0]?.peerAddress, '127.0.0.1')
  })

  it('uses the default host for HTTP/1.0 without one', async () => {
    await using app = await startFront(() => text('ok'))
    await exchangeBytes(app.port, 'GET /old HTTP/1.0\r\n\r\n')
    assert.equal(app.front.requests[0]?.url, `${app.address.url}/old`)
  })

  it('gives OPTIONS * the path *', async () => {
    await using app = await startFront(() => text('ok'))
    await exchangeBytes(app.port, `OPTIONS * HTTP/1.1\r\nHost: h\r\n${close}`)
    assert.equal(app.front.requests[0]?.path, '*')
  })

  it('answers 431 to more header fields than it reads', async () => {
    await using app = await startFront(() => text('ok'))
    const many = (count: number): string => `GET / HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(count)}${close}`
    assert.match(await exchangeBytes(app.port, many(1900)), /^HTTP\/1\.1 200 /)
    assert.match(await exchangeBytes(app.port, many(2100)), /^HTTP\/1\.1 431 /)
    const hidden = `GET / HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(2500)}Host: evil\r\n${close}`
    assert.match(await exchangeBytes(app.port, hidden), /^HTTP\/1\.1 4/)
  })

  it('begins a pipelined request when those before it are answered, and not when its client has gone', async () => {
    const release: ((reply: Reply) => void)[] = []
    await using app = await startFront(
      ({ path }) => (path === '/held' ? new Promise<Reply>((resolve) => release.push(resolve)) : text(path)),
      { drainMs: 100 },
    )
    const paths = (): readonly string[] => app.front.requests.map(({ path }) => path)
    const client = await RawConnection.open(app.port)
    client.send(
      ['/a', '/held', '/b', '/held', '/never'].map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''),
    )
    await until(() => release.length === 1)
    assert.equal(await settledCount(() => paths().length), 2)
    release[0]?.(text('held'))
    await until(() => release.length === 2)
    assert.deepEqual(paths(), ['/a', '/held', '/b', '/held'])
    client.socket.resetAndDestroy()
    await client.end()
    release[1]?.(text('late'))
    await until(() => app.front.sent.length === 4)
    assert.equal(await settledCount(() => paths().length), 4)
  })

  it('lets another connection in between two pipelined requests', async () => {
    const begun = Promise.withResolvers<void>()
    await using app = await startFront(({ path }) => {
      begun.resolve()
      return text(path)
    })
    using flooding = await RawConnection.open(app.port)
    using other = await RawConnection.open(app.port)
    flooding.send('GET /flood HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(900))
    await begun.promise
    other.send('GET /other HTTP/1.1\r\nHost: h\r\n\r\n')
    await other.receive('/other')
    const place = app.front.requests.findIndex(({ path }) => path === '/other')
    assert.ok(place < 900, `after ${place} of 900`)
    await until(() => flooding.answerCount === 900)
  })

  it('begins no request of a client that does not read beyond what its connection takes', async () => {
    const page = 'x'.repeat(1024 * 1024)
    await using app = await startFront(() => text(page), { drainMs: 100 })
    const client = await RawConnection.open(app.port)
    client.socket.pause()
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(500))
    await until(() => app.front.requests.length > 0)
    assert.ok((await settledCount(() => app.front.requests.length)) < 100)
    client.socket.destroy()
  })
})

/** The count once it has stayed the same over a hundred turns of the event loop. */
async function settledCount(count: () => number): Promise<number> {
  let last = count()
  for (let turn = 0; turn < 100; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (count() === last) continue
    last = count()
    turn = 0
  }
  return last
}
