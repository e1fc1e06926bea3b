// Replies as they leave on a socket.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { empty, Reply, stream, text } from '../../../src/base/http/reply.ts'
import { startFront } from '../../support/front.ts'
import { parseResponses, request } from '../../support/raw-client.ts'
import { exchangeBytes, RawConnection } from '../../support/raw-connection.ts'
import { until } from '../../support/until.ts'

describe('NodeServer: replies', () => {
  it('counts bytes, not characters', async () => {
    await using app = await startFront(() => text('💩'))
    const bytes = 'GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'
    const answers = parseResponses(Buffer.from(await exchangeBytes(app.port, bytes), 'latin1'))
    assert.equal(answers.length, 2)
    assert.equal(answers[0]?.header('content-length'), '4')
    await until(() => app.front.sent.length === 2)
    assert.deepEqual(app.front.sent, [
      { bytes: 4, aborted: false },
      { bytes: 4, aborted: false },
    ])
  })

  it('sends HEAD the head of the page, its length included, and no body', async () => {
    await using app = await startFront(() => text('five!'))
    const answer = await exchangeBytes(app.port, 'HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    assert.match(answer, /content-length: 5\r\n/)
    assert.ok(answer.endsWith('\r\n\r\n'))
    await until(() => app.front.sent.length === 1)
    assert.deepEqual(app.front.sent, [{ bytes: 0, aborted: false }])
  })

  it('leaves the body of 204 and 304 out', async () => {
    await using app = await startFront(({ path }) =>
      path === '/204' ? new Reply(204, [], 'body') : new Reply(304, [], 'body'),
    )
    for (const target of ['/204', '/304']) {
      const answer = await request(app.port, { target })
      assert.equal(answer.body, '')
      assert.equal(answer.header('content-length'), undefined)
    }
    await using other = await startFront(() => empty())
    assert.equal((await request(other.port, { target: '/' })).status, 204)
  })

  it('does not change the reply, so that one can be sent again and again', async () => {
    const reply = text('same')
    const headers = [...reply.headers]
    await using app = await startFront(() => reply)
    await request(app.port, { target: '/' })
    await request(app.port, { target: '/' })
    assert.deepEqual(reply.headers, headers)
  })

  it('sends headers in their order, as written, each value of a repeated name on its own line', async () => {
    const reply = text('x', { headers: { 'X-Latin': 'é', 'Content-Length': '99', 'transfer-encoding': 'gzip' } })
    reply.appendHeader('Set-Cookie', 'a=1').appendHeader('x-last', 'z').appendHeader('set-cookie', 'b=2')
    await using app = await startFront(() => reply)
    const answer = await exchangeBytes(app.port, 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    const fields = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n').slice(1)
    assert.deepEqual(
      fields.filter((line) => !line.startsWith('Date: ')),
      [
        'content-type: text/plain; charset=utf-8',
        'X-Latin: é',
        'Set-Cookie: a=1',
        'x-last: z',
        'set-cookie: b=2',
        'content-length: 1',
        'Connection: close',
      ],
    )
  })

  it('never sends a header value that would end its line, however often it comes', async () => {
    for (const bad of ['a\r\nX-Injected: 1', 'a\nb', '\r\n', '💥', '\u0000']) {
      await using app = await startFront(() => text('x', { headers: { 'x-a': bad } }))
      for (let time = 0; time < 3; time += 1) {
        const answer = await exchangeBytes(app.port, 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
        assert.match(answer, /^HTTP\/1\.1 500 /)
        assert.doesNotMatch(answer, /injected/i)
      }
    }
  })

  it('answers 500 with constant bytes for a header that cannot be sent', async () => {
    await using app = await startFront(({ path }) => {
      if (path === '/throw') throw new Error('a front must not throw')
      return path === '/status' ? new Reply(99, [], 'x') : new Reply(200, ['x-a', 'a\r\nb'], 'secret')
    })
    for (const target of ['/header', '/status', '/throw']) {
      const answer = await request(app.port, { target })
      assert.equal(answer.status, 500)
      assert.match(answer.body, /Error 500 Internal Server Error/)
      assert.doesNotMatch(answer.body, /secret/)
    }
  })

  it('sends Node streams and web streams', async () => {
    await using app = await startFront(({ path }) => {
      if (path === '/node') return stream(Readable.from(['a', Buffer.from('b'), 'ä']))
      return stream(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(Buffer.from('web'))
            controller.close()
          },
        }),
      )
    })
    assert.equal((await request(app.port, { target: '/node' })).body, 'abä')
    assert.equal((await request(app.port, { target: '/web' })).body, 'web')
    await until(() => app.front.sent.length === 2)
    assert.deepEqual(
      app.front.sent.map((sent) => sent.bytes),
      [4, 3],
    )
  })

  it('destroys the stream of a HEAD request instead of reading it', async () => {
    const body = new Readable({ read: () => assert.fail('nobody may read') })
    await using app = await startFront(() => stream(body))
    await request(app.port, { method: 'HEAD', target: '/' })
    assert.ok(body.destroyed)
  })

  it('sends the head of a stream that says nothing yet, and destroys it at once when its client goes away', async () => {
    const body = new Readable({ read: () => undefined })
    await using app = await startFront(() => stream(body))
    const leave = new AbortController()
    const { status } = await fetch(`http://127.0.0.1:${app.port}/`, { signal: leave.signal })
    assert.equal(status, 200)
    leave.abort()
    await until(() => body.destroyed)
  })

  it('cuts the connection when a stream fails, so that half an answer is not taken for a whole one', async () => {
    const failing = async function* (): AsyncGenerator<string> {
      yield 'half'
      throw new Error('the source failed')
    }
    await using app = await startFront(() => stream(Readable.from(failing())))
    const answer = await exchangeBytes(app.port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.ok(!answer.endsWith('0\r\n\r\n'))
    await until(() => app.front.sent.length === 1)
    assert.equal(app.front.sent[0]?.aborted, true)
    assert.match(String(app.front.sent[0]?.error), /the source failed/)
  })

  it('cuts the connection when a stream gives more or less than it announced', async () => {
    await using app = await startFront(({ path }) =>
      stream(Readable.from(['four']), { headers: { 'content-length': path === '/more' ? '2' : '9' } }),
    )
    for (const target of ['/more', '/less']) {
      const bytes = `GET ${target} HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n`
      const answer = await exchangeBytes(app.port, bytes)
      assert.ok(answer.split('HTTP/1.1 ').length <= 2, answer)
    }
    await until(() => app.front.sent.length === app.front.requests.length)
    assert.ok(app.front.sent.every((sent) => sent.aborted))
  })

  it('keeps the announced length of a stream', async () => {
    await using app = await startFront(() => stream(Readable.from(['four']), { headers: { 'content-length': '4' } }))
    const answer = await request(app.port, { target: '/' })
    assert.equal(answer.header('content-length'), '4')
    assert.equal(answer.header('transfer-encoding'), undefined)
    assert.equal(answer.body, 'four')
  })

  it('survives a web stream that gives something else than bytes', async () => {
    const odd = new ReadableStream({ start: (controller) => controller.enqueue(42) })
    await using app = await startFront(({ path }) => (path === '/odd' ? stream(odd) : text('alive')))
    await exchangeBytes(app.port, 'GET /odd HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.equal((await request(app.port, { target: '/' })).body, 'alive')
  })

  it('waits for a slow client and stops the source when the client goes away', async () => {
    let produced = 0
    let isStopped = false
    const source = new Readable({
      read() {
        produced += 65_536
        this.push(Buffer.alloc(65_536))
      },
      destroy(error, callback) {
        isStopped = true
        callback(error)
      },
    })
    await using app = await startFront(() => stream(source))
    using connection = await RawConnection.open(app.port)
    connection.socket.pause()
    connection.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    let before = -1
    await until(async () => {
      const isStill = produced > 0 && produced === before
      before = produced
      await new Promise((resolve) => setTimeout(resolve, 50))
      return isStill
    })
    assert.ok(produced < 64 * 1024 * 1024, `${produced} bytes were made for a client that reads nothing`)
    connection.socket.destroy()
    await until(() => isStopped && app.front.sent.length === 1)
    assert.equal(app.front.sent[0]?.aborted, true)
  })

  it('reports an answer whose client went away before it was made', async () => {
    let answer: (reply: Reply) => void = () => undefined
    await using app = await startFront(() => new Promise<Reply>((resolve) => (answer = resolve)))
    const connection = await RawConnection.open(app.port)
    connection.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await until(() => app.front.requests.length === 1)
    connection.socket.resetAndDestroy()
    await until(() => connection.isClosed)
    const probe = await RawConnection.open(app.port)
    probe.socket.destroy()
    answer(text('too late'))
    await until(() => app.front.sent.length === 1)
    assert.equal(app.front.sent[0]?.aborted, true)
  })
})

describe('NodeServer: bodies', () => {
  it('goes on with the connection after a small unread body', async () => {
    await using app = await startFront(() => text('ok'))
    using connection = await RawConnection.open(app.port)
    connection.send(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n`)
    await connection.receive('ok')
    connection.send('x'.repeat(300_000))
    connection.send('GET /next HTTP/1.1\r\nHost: h\r\n\r\n')
    await until(() => connection.answerCount === 2)
  })

  for (const [body, connection] of [
    ['Content-Length: 300000', 'keep-alive'],
    ['Content-Length: 1048577', 'close'],
    ['Transfer-Encoding: chunked', 'keep-alive'],
    ['Connection: close\r\nContent-Length: 300000', 'close'],
  ] as const) {
    it(`says whether another request may follow an unread body: ${connection} after ${body.replace('\r\n', ', ')}`, async () => {
      await using app = await startFront(() => text('ok'))
      using client = await RawConnection.open(app.port)
      client.send(`POST / HTTP/1.1\r\nHost: h\r\n${body}\r\n\r\n`)
      await client.receive('ok')
      assert.match(client.received, new RegExp(`^connection: ${connection}\\r$`, 'im'))
    })
  }

  it('lets a client write on that has not seen yet that its body is not wanted, and serves nothing more', async () => {
    await using app = await startFront(() => text('ok'))
    const [half, hidden] = ['x'.repeat(1_200_000), 'GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n']
    const client = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true })
    client.write(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${2 * half.length}\r\n\r\n${half}`)
    let received = ''
    client.setEncoding('latin1').on('data', (piece: string) => (received += piece))
    await once(client, 'end')
    assert.match(received, /^HTTP\/1\.1 200 OK[^]*ok$/)
    client.end(half + hidden)
    // It rejects where the connection is reset.
    await once(client, 'close')
    assert.deepEqual([client.errored, app.front.requests.map(({ path }) => path)], [null, ['/']])
  })

  it('closes a connection whose unread body never ends', async () => {
    await using app = await startFront(() => text('ok'))
    using connection = await RawConnection.open(app.port)
    connection.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\nabc')
    assert.match(await connection.end(), /ok$/)
  })
})
