// Threats T52–T58 of SECURITY 5.4: where one message ends and the next begins.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attackedApp } from '../support/attacked-app.ts'
import { pageText } from '../support/page-text.ts'
import { requestBytes, wire, type WireResult } from '../support/wire.ts'
import { pick } from '../support/pick.ts'

const running = await attackedApp()

const post = 'POST / HTTP/1.1\r\nHost: h\r\n'
const hidden = 'GET /zq-hidden HTTP/1.1\r\nHost: h\r\n\r\n'

/** Nothing of the application's own has seen the hidden request. */
function assertUnseen({ text }: WireResult, what: string): void {
  assert.ok(!text.includes('zq-hidden'), `${what}: answered`)
  assert.ok(!running.log.lines.some((line) => JSON.stringify(line).includes('zq-hidden')), `${what}: served`)
}

/** Refused with 400 (or the like) and closed, or closed without a word. */
async function assertRefused(bytes: string): Promise<void> {
  running.log.lines.length = 0
  const result = await wire(running.port, bytes)
  const what = JSON.stringify(bytes.slice(0, 160))
  assert.ok(result.isClosed, `${what}: left open`)
  // An answer that needs no body may have left before the fault in the body came.
  for (const { status } of result.responses) assert.ok([400, 405, 413, 431, 501].includes(status), `${what}: ${status}`)
  assertUnseen(result, what)
}

describe('5.4 message framing', () => {
  it('T52: a length beside chunks, two lengths and odd codings are refused, and no second request is seen', async () => {
    const chunked = `0\r\n\r\n${hidden}`
    const framings = [
      ['Content-Length: 6\r\nTransfer-Encoding: chunked', chunked],
      ['Transfer-Encoding: chunked\r\nContent-Length: 6', chunked],
      ['Content-Length: 0\r\nTransfer-Encoding: chunked', chunked],
      ['Content-Length: 6\r\nContent-Length: 7', `abcdef${hidden}`],
      ['Content-Length: 6, 7', `abcdef${hidden}`],
      ['Content-Length: 6,6', `abcdef${hidden}`],
      ['Content-Length: +6', `abcdef${hidden}`],
      ['Content-Length: -1', hidden],
      ['Content-Length: 0x6', `abcdef${hidden}`],
      ['Content-Length: 6 6', `abcdef${hidden}`],
      ['Content-Length: 6;', `abcdef${hidden}`],
      ['Content-Length: "6"', `abcdef${hidden}`],
      ['Content-Length: 99999999999999999999', hidden],
      ['Content-Length:', hidden],
      ['Transfer-Encoding: xchunked', chunked],
      ['Transfer-Encoding: chunked, identity', chunked],
      ['Transfer-Encoding: identity', chunked],
      ['Transfer-Encoding: chunked, chunked', chunked],
      ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', chunked],
      ['Transfer-Encoding: gzip, chunked', chunked],
      ['Transfer-Encoding: "chunked"', chunked],
      ['Transfer-Encoding:\x0bchunked', chunked],
      ['Transfer-Encoding: chun\x00ked', chunked],
      ['Transfer-Encoding : chunked', chunked],
      ['Transfer-Encoding\r\n: chunked', chunked],
      [' Transfer-Encoding: chunked', chunked],
      ['Transfer-Encoding: chunked', `-1\r\n\r\n${hidden}`],
      ['Transfer-Encoding: chunked', `0x1\r\na\r\n0\r\n\r\n${hidden}`],
      ['Transfer-Encoding: chunked', `1\r\nab\r\n0\r\n\r\n${hidden}`],
      ['Transfer-Encoding: chunked', `fffffffffffffffff\r\na\r\n${hidden}`],
      ['Transfer-Encoding: chunked', `1 \na\n0\n\n${hidden}`],
    ] as const
    for (const [fields, rest] of framings) await assertRefused(`${post}${fields}\r\n\r\n${rest}`)
  })

  it('T140: chunks of HTTP/1.0 are refused, also on a connection that should stay open', async () => {
    for (const connection of ['', 'Connection: keep-alive\r\n']) {
      const head = `POST / HTTP/1.0\r\nHost: h\r\n${connection}Transfer-Encoding: chunked\r\n\r\n`
      await assertRefused(`${head}0\r\n\r\n${hidden}`)
    }
  })

  it('T53: folded lines, bare LF, lone CR, NUL, no colon, a space before the colon are refused', async () => {
    for (const head of [
      'X-A: 1\r\n folded: 2\r\n',
      'X-A: 1\r\n\tfolded: 2\r\n',
      'X-A: 1\nX-B: 2\r\n',
      'X-A: 1\rX-B: 2\r\n',
      'X-A: a\0b\r\n',
      'X-A\0: a\r\n',
      'nothing\r\n',
      ': empty\r\n',
      'X-A : 1\r\n',
      'X A: 1\r\n',
      'X(A): 1\r\n',
      'X-\xe4: 1\r\n',
    ])
      await assertRefused(`${post}${head}Content-Length: 0\r\n\r\n${hidden}`)
    await assertRefused(`GET / HTTP/1.1 \r\nHost: h\r\n\r\n${hidden}`)
    await assertRefused(`GET / HTTP/1.1\nHost: h\n\n${hidden}`)
  })

  it('T54: an unread body is never taken for a request', async () => {
    running.log.lines.length = 0
    for (const target of ['/x', '/products', '/error']) {
      const bytes = `POST ${target} HTTP/1.1\r\nHost: h\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`
      const result = await wire(running.port, bytes + requestBytes('GET /zq-last HTTP/1.1'))
      assertUnseen(result, target)
      assert.equal(result.responses.length, 2)
      assert.ok(result.responses[1]?.body.includes('/zq-last'))
    }
    const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
    const result = await wire(
      running.port,
      `POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${requestBytes('GET /zq-last HTTP/1.1')}`,
    )
    assertUnseen(result, 'chunks')
    assert.equal(result.responses.length, 2)
  })

  it('T55: forty pipelined requests get forty answers in order, each its own', async () => {
    const requests = Array.from({ length: 40 }, (_, index) => {
      const head = [`GET /pipe-${index}- HTTP/1.1`, `Host: 127.0.0.1:${running.port}`, `Referer: http://r/${index}-`]
      return [...head, ...(index === 39 ? ['Connection: close'] : []), '', ''].join('\r\n')
    })
    const { responses } = await wire(running.port, requests.join(''))
    assert.equal(responses.length, 40)
    for (const [index, { body }] of responses.entries()) {
      assert.ok(
        pageText(body).includes(`No route found for "GET ${running.url}/pipe-${index}-" (from "http://r/${index}-")`),
      )
      assert.deepEqual([...new Set(body.match(/pipe-\d+-/g))], [`pipe-${index}-`])
    }
  })

  it('T56: Expect is answered with 100 or 417', async () => {
    const head = (expect: string): string =>
      `POST /x HTTP/1.1\r\nHost: h\r\nExpect: ${expect}\r\nContent-Length: 3\r\nConnection: close\r\n\r\n`
    const { responses } = await wire(running.port, [head('100-continue'), 'a=1'])
    assert.deepEqual(pick(responses, 'status'), [100, 404])
    const unknown = await wire(running.port, [head('zq'), 'a=1'])
    assert.deepEqual(pick(unknown.responses, 'status'), [417])
  })

  it('T57: a request in single bytes, and one whose client has ended its half, are answered', async () => {
    const bytes = requestBytes('GET /x HTTP/1.1')
    for (const result of [await wire(running.port, [...bytes]), await wire(running.port, bytes, { endsHalf: true })])
      assert.deepEqual(pick(result.responses, 'status'), [404])
    const cut = await wire(running.port, bytes.slice(0, 20), { endsHalf: true })
    assert.ok(cut.isClosed)
    assert.ok(cut.responses.every(({ status }) => status === 400))
  })

  it('T58: chunk extensions and trailers are bounded', async () => {
    const head =
      'POST /basket HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (const rest of [
      `1;${'a'.repeat(8 * 1024 * 1024)}\r\n`,
      `${'1;a=b\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`,
      `0\r\n${'a: b\r\n'.repeat(200_000)}\r\n`,
    ]) {
      const result = await wire(running.port, head + rest)
      assert.ok(result.isClosed)
      for (const { status } of result.responses) assert.ok(status >= 400 && status < 500, String(status))
    }
  })
})

// Every row of the section applies.
