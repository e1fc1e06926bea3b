import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text } from '../../src/base/http/reply.ts'
import { requestCollector } from '../../src/observe/collectors/request.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { exchangeOf } from '../support/exchange.ts'
import { testProfiler } from '../support/profiler.ts'
import { pick } from '../support/pick.ts'

describe('assembleProfile', () => {
  it('links a request and its sub-requests both ways, nested ones too', async () => {
    const { profiler, engine } = await testProfiler({ builtIn: [requestCollector(new Redactor())] })
    const exchange = exchangeOf()
    profiler.onRequest(exchange)
    const child = exchange.createChild('error handler')
    const grandchild = child.createChild('inner')
    profiler.onTerminate(exchange)
    await profiler.find({})
    const token = exchange.recording!.token
    const [parent, middle, inner] = await Promise.all(
      [exchange, child, grandchild].map(async ({ recording }) => engine.profiles.read(recording!.token)),
    )
    assert.deepEqual(parent?.childTokens, [child.recording!.token])
    assert.deepEqual([middle?.parentToken, middle?.childTokens], [token, [grandchild.recording!.token]])
    assert.equal(inner?.parentToken, child.recording!.token)
    const { subRequests } = parent!.data['request'] as { subRequests: { token: string; handler: string }[] }
    assert.deepEqual(pick(subRequests, 'token', 'handler'), [[child.recording!.token, 'error handler']])
  })

  it('says that no answer was sent when the client went away before its first byte', async () => {
    const { profiler } = await testProfiler()
    for (const [sent, status] of [
      [{ bytes: 0, aborted: true }, 0],
      [{ bytes: 10, aborted: true }, 200],
      [{ bytes: 0, aborted: false }, 200],
    ] as const) {
      const exchange = exchangeOf()
      profiler.onRequest(exchange)
      exchange.reply = text('hello')
      exchange.sent = sent
      profiler.onTerminate(exchange)
      assert.equal((await profiler.read(exchange.recording!.token))?.status, status)
    }
  })
})
