import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LazyResponder } from '../../src/app/lazy-responder.ts'
import { Reply } from '../../src/framework/http/reply.ts'
import type { ErrorResponder } from '../../src/framework/kernel/error-reply.ts'
import { currentExchange, runInExchange } from '../../src/framework/kernel/current-exchange.ts'
import { exchangeOf } from '../support/exchange.ts'
import { recordedExchange } from '../support/recorded-exchange.ts'
import { until } from '../support/until.ts'

const plain: ErrorResponder = { name: 'plain', respond: (_exchange, status) => new Reply(status, [], 'plain') }

describe('LazyResponder', () => {
  it('is loaded with the first error, once, and answers at once from then on', async () => {
    let loads = 0
    const responder = new LazyResponder('page', async () => {
      loads += 1
      return plain
    })
    assert.equal((await responder.respond(exchangeOf(), 404)).status, 404)
    assert.ok(responder.respond(exchangeOf(), 500) instanceof Reply)
    assert.equal(loads, 1)
  })

  it('is loaded without an error when its time has come, unless it is closed before', async () => {
    const loads: string[] = []
    const make = (name: string): LazyResponder =>
      new LazyResponder(name, async () => {
        loads.push(name)
        return plain
      })
    const closed = make('closed')
    closed.loadLater(1)
    closed.close()
    make('waiting').loadLater(2)
    await until(() => loads.length > 0)
    assert.deepEqual(loads, ['waiting'])
  })

  it('is loaded and answers first as a part of no request, and says in the failed one how long that took', async () => {
    const seen: unknown[] = []
    const watching: ErrorResponder = {
      name: 'watching',
      respond: (...asked) => {
        seen.push(currentExchange())
        return plain.respond(...asked)
      },
    }
    const responder = new LazyResponder('page', async () => {
      await Promise.resolve()
      seen.push(currentExchange())
      return watching
    })
    const failed = recordedExchange()
    await runInExchange(failed, async () => {
      await responder.respond(failed.createChild('page'), 500)
      await responder.respond(failed.createChild('page'), 500)
    })
    assert.deepEqual(seen, [undefined, undefined, failed])
    assert.deepEqual(
      failed.recording.stopwatch.spans().map(({ name, category, durationMs }) => [name, category, durationMs === null]),
      [['first use of the page', 'loading', false]],
    )
  })

  it('rejects while it cannot be loaded, and tries again with the next error', async () => {
    let isThere = false
    const responder = new LazyResponder('page', async () => {
      if (!isThere) throw new Error('no such file')
      return plain
    })
    await assert.rejects(async () => responder.respond(exchangeOf(), 500), /no such file/)
    isThere = true
    assert.equal((await responder.respond(exchangeOf(), 500)).body, 'plain')
  })
})
