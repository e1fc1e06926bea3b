// Clients that take nothing of a response, over real sockets.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { stream, text } from '../../../src/base/http/reply.ts'
import { startFront } from '../../support/front.ts'
import { RawConnection } from '../../support/raw-connection.ts'
import { until } from '../../support/until.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
/** More than sockets hold on both sides. */
const large = 'x'.repeat(32 * 1024 * 1024)

function endless(): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(65_536, 'x'))
    },
  })
}

describe('a client that never reads', () => {
  for (const [name, reply] of [
    ['a large body', () => text(large)],
    ['a stream', () => stream(endless())],
  ] as const) {
    it(`is dropped, and ${name} with it`, async () => {
      await using app = await startFront(reply, { writeTimeoutMs: 100 })
      using client = await RawConnection.open(app.port)
      client.socket.pause()
      client.send(get)
      await until(() => app.front.sent.length === 1)
      assert.equal(app.front.sent[0]?.aborted, true)
    })
  }
})

describe('a client that is not dropped', () => {
  it('waits for a stream that has nothing to send', async () => {
    const events = new Readable({ read: () => undefined })
    await using app = await startFront(() => stream(events), { writeTimeoutMs: 50 })
    using client = await RawConnection.open(app.port)
    client.send(get)
    events.push('first')
    await client.receive('first')
    // Longer than the time-out, several times.
    await new Promise((resolve) => setTimeout(resolve, 300))
    events.push('second')
    await client.receive('second')
    events.push(null)
    await until(() => app.front.sent.length === 1)
    assert.equal(app.front.sent[0]?.aborted, false)
  })

  it('takes a large body', async () => {
    await using app = await startFront(() => text(large), { writeTimeoutMs: 5000 })
    using client = await RawConnection.open(app.port)
    client.send(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    await until(() => app.front.sent.length === 1)
    assert.deepEqual(app.front.sent, [{ bytes: large.length, aborted: false }])
  })
})
