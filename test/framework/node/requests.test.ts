// Requests as they come over a socket: what reaches the application, and what is refused before.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text, type Reply } from '../../../src/framework/http/reply.ts'
import { TrustedProxies } from '../../../src/framework/http/trusted-proxies.ts'
import { startFront } from '../../support/front.ts'
import { parseResponses } from '../../support/raw-client.ts'
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

  it('lets the authority of an absolute target replace the Host', async () => {
    await using app = await startFront(() => text('ok'))
    await exchangeBytes(app.port, `GET http://evil/x HTTP/1.1\r\nHost: 127.0.0.1:1\r\n${close}`)
    assert.equal(app.front.requests[0]?.url, 'http://evil/x')
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

  it('takes a spoofed forwarded header for what it is', async () => {
    await using app = await startFront(() => text('ok'))
    const headers = 'X-Forwarded-Host: evil\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 1.2.3.4\r\n'
    await exchangeBytes(app.port, `GET /x HTTP/1.1\r\nHost: h:8080\r\n${headers}${close}`)
    assert.equal(app.front.requests[0]?.url, 'http://h:8080/x')
    assert.equal(app.front.requests[0]?.clientAddress, '127.0.0.1')
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

  it('answers every bad Host with one and the same page of status 400', async () => {
    await using app = await startFront(() => text('never'))
    const hosts = [
      'Host: a\r\nHost: b\r\n',
      '',
      'Host:\r\n',
      'Host: a b\r\n',
      'Host: a"><i>\r\n',
      'Host: h\xe4\r\n',
      'Host: a:99999\r\n',
    ]
    const answers = await Promise.all(hosts.map((host) => exchangeBytes(app.port, `GET / HTTP/1.1\r\n${host}${close}`)))
    const pages = answers.map((answer) => parseResponses(Buffer.from(answer, 'latin1')))
    for (const page of pages) {
      assert.equal(page.length, 1)
      assert.equal(page[0]?.status, 400)
      assert.match(page[0]?.body ?? '', /<title>Error 400 Bad Request<\/title>/)
      assert.equal(page[0]?.header('cache-control'), 'no-store')
    }
    assert.equal(new Set(pages.map((page) => page[0]?.body)).size, 1)
    assert.equal(app.front.requests.length, 0)
  })

  it('answers forty pipelined requests in their order', async () => {
    await using app = await startFront((context) =>
      context.path.endsWith('3') ? Promise.resolve(text(context.path)) : text(context.path),
    )
    const requests = Array.from(
      { length: 40 },
      (_, index) => `GET /${index} HTTP/1.1\r\nHost: h\r\n${index === 39 ? close : '\r\n'}`,
    )
    const answers = parseResponses(Buffer.from(await exchangeBytes(app.port, requests.join('')), 'latin1'))
    assert.deepEqual(
      answers.map((answer) => answer.body),
      requests.map((_, index) => `/${index}`),
    )
  })

  it('reads requests that come byte by byte', async () => {
    await using app = await startFront(() => text('ok'))
    using connection = await RawConnection.open(app.port)
    connection.socket.setNoDelay(true)
    for (const character of `GET /slow HTTP/1.1\r\nHost: h\r\n${close}`) connection.send(character)
    assert.match(await connection.end(), /^HTTP\/1\.1 200 OK/)
  })

  it('answers a client that has closed its half', async () => {
    await using app = await startFront(async () => text('ok'))
    using connection = await RawConnection.open(app.port)
    connection.socket.end('GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    assert.match(await connection.end(), /ok$/)
  })

  const smuggling: readonly [string, string][] = [
    ['a length beside chunks', 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG'],
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a signed length', 'Content-Length: +1\r\n\r\na'],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X-A: 1\r\n folded: 2\r\n\r\n'],
    ['a space before the colon', 'Content-Length : 1\r\n\r\na'],
    ['a NUL in a value', 'X-A: a\0b\r\n\r\n'],
    ['a line without a colon', 'nothing\r\n\r\n'],
  ]
  for (const [what, rest] of smuggling) {
    it(`closes on ${what} and never answers what follows`, async () => {
      await using app = await startFront(() => text('ok'))
      const answer = await exchangeBytes(
        app.port,
        `POST / HTTP/1.1\r\nHost: h\r\n${rest}GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n`,
      )
      assert.ok(answer === '' || answer.startsWith('HTTP/1.1 400 Bad Request'), answer)
      assert.ok(!app.front.requests.some((context) => context.path === '/smuggled'))
    })
  }

  it('never takes an unread body for a request', async () => {
    await using app = await startFront(() => text('no', { status: 404 }))
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n'
    const post = `POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`
    const answer = await exchangeBytes(app.port, `${post}GET /last HTTP/1.1\r\nHost: h\r\n${close}`)
    assert.deepEqual(
      app.front.requests.map((context) => context.path),
      ['/x', '/last'],
    )
    assert.equal(answer.split('HTTP/1.1 404').length, 3)
  })

  it('answers 431 to a header block that is too large', async () => {
    await using app = await startFront(() => text('never'))
    const answer = await exchangeBytes(app.port, `GET / HTTP/1.1\r\nHost: h\r\nX-A: ${'a'.repeat(17_000)}\r\n${close}`)
    assert.match(answer, /^HTTP\/1\.1 431 /)
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

  it('answers 405 to CONNECT and closes', async () => {
    await using app = await startFront(() => text('never'))
    assert.match(
      await exchangeBytes(app.port, 'CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n'),
      /^HTTP\/1\.1 405 /,
    )
  })

  it('answers 417 to an expectation it does not know, and goes on after 100-continue', async () => {
    await using app = await startFront(async (_, body) => text(await body.text()))
    const odd = await exchangeBytes(app.port, `GET / HTTP/1.1\r\nHost: h\r\nExpect: magic\r\n${close}`)
    assert.match(odd, /^HTTP\/1\.1 417 /)
    const usual = `POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n${close}a=1`
    assert.match(await exchangeBytes(app.port, usual), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[^]*a=1$/)
  })

  it('treats an upgrade as the request it also is', async () => {
    await using app = await startFront(() => text('plain'))
    const answer = await exchangeBytes(
      app.port,
      'GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n',
    )
    assert.match(answer, /^HTTP\/1\.1 200 OK/)
  })

  for (const [what, bytes] of [
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['a raw NUL in the target', 'GET /\0x HTTP/1.1\r\nHost: h\r\n\r\n'],
  ] as const) {
    it(`answers or closes on ${what}`, async () => {
      await using app = await startFront(() => text('never'))
      assert.match(await exchangeBytes(app.port, bytes), /^HTTP\/1\.1 (?:400|505) |^$/)
      assert.equal(app.front.requests.length, 0)
    })
  }
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
