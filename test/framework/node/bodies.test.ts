// Bodies as they come over a socket: in pieces, late, pipelined, too long, cut off.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HttpError } from '../../../src/base/http/http-error.ts'
import { json, text } from '../../../src/base/http/reply.ts'
import { startFront } from '../../support/front.ts'
import { exchangeBytes, RawConnection } from '../../support/raw-connection.ts'
import { until } from '../../support/until.ts'

const head = (length: number, further = ''): string =>
  `POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${further}\r\n`
const close = 'Connection: close\r\n'

describe('NodeServer: bodies', () => {
  it('reads a body that comes byte by byte, in chunks, or with its head', async () => {
    await using app = await startFront(async (_, body) => json(await body.json()))
    const client = await RawConnection.open(app.port)
    client.send(head(7))
    for (const byte of '{"a":1}') {
      await nextTurn()
      client.send(byte)
    }
    await client.receive('{"a":1}')
    const chunked = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    client.send(`${chunked}\r\n3\r\n{"b\r\n4\r\n":2}\r\n0\r\n\r\n`)
    await client.receive('{"b":2}')
    client.send(`${head(7, close)}{"c":3}`)
    await client.receive('{"c":3}')
    await client.end()
  })

  it('reads a body that had come long before the handler asks for it', async () => {
    await using app = await startFront(async (_, body) => {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn()
      return json(await body.json())
    })
    assert.match(await exchangeBytes(app.port, `${head(7, close)}{"a":1}`), /200 OK[^]*\{"a":1\}$/)
  })

  it('gives each pipelined request its own body', async () => {
    await using app = await startFront(async (_, body) => text(`<${await body.text()}>`))
    const bytes = `${head(2)}11${head(0)}${head(3)}222${head(1, close)}3`
    const bodies = (await exchangeBytes(app.port, bytes)).match(/<\d*>/g)
    assert.deepEqual(bodies, ['<11>', '<>', '<222>', '<3>'])
  })

  it('tells the handler of a body that is too long, declared or not, and still answers', async () => {
    const statuses: number[] = []
    await using app = await startFront(
      async (_, body) => {
        const error: unknown = await body.json().catch((thrown: unknown) => thrown)
        if (error instanceof HttpError) statuses.push(error.statusCode)
        return text('refused', { status: 413 })
      },
      { maxBodyBytes: 10 },
    )
    assert.match(await exchangeBytes(app.port, `${head(11, close)}"123456789"`), /^HTTP\/1\.1 413 [^]*refused$/)
    const chunked = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    const answer = await exchangeBytes(app.port, `${chunked}${close}\r\n6\r\n"12345\r\n6\r\n67890"\r\n0\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 413 [^]*refused$/)
    assert.deepEqual(statuses, [413, 413])
  })

  it('tells the handler when the client goes away in the middle, with a reset or with an end', async () => {
    const statuses: number[] = []
    await using app = await startFront(async (_, body) => {
      const error: unknown = await body.json().catch((thrown: unknown) => thrown)
      if (error instanceof HttpError) statuses.push(error.statusCode)
      return text('nobody reads this')
    })
    for (const leave of ['resetAndDestroy', 'destroy', 'end'] as const) {
      const before = app.front.requests.length
      const client = await RawConnection.open(app.port)
      client.send(`${head(9)}{"a`)
      await until(() => app.front.requests.length > before)
      client.socket[leave]()
      await until(() => statuses.length > before)
    }
    assert.deepEqual(statuses, [400, 400, 400])
  })
})
