import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LazyMisses, type CountedMisses } from '../../src/app/lazy-misses.ts'
import { Reply } from '../../src/framework/http/reply.ts'
import { requestContext } from '../support/exchange.ts'
import { until } from '../support/until.ts'

const context = requestContext({ path: '/no' })
const miss = { kind: 'not_found' } as const

describe('LazyMisses', () => {
  it('is loaded with the first miss, which another one answers, and answers all later ones', async () => {
    let loads = 0
    const misses = new LazyMisses(async () => {
      loads += 1
      return counted()
    })
    assert.throws(() => misses.answer(context, miss), /being loaded/)
    assert.throws(() => misses.answer(context, miss), /being loaded/)
    await until(() => answers(misses))
    assert.equal(misses.answer(context, miss).status, 404)
    assert.equal(loads, 1)
  })

  it('is loaded without a miss when its time has come, and writes what was counted when it is closed', async () => {
    let flushes = 0
    const misses = new LazyMisses(async () => counted(() => (flushes += 1)))
    misses.close()
    assert.equal(flushes, 0)
    misses.loadLater(1)
    await until(() => answers(misses))
    misses.close()
    assert.equal(flushes, 1)
  })

  it('leaves misses to the error handler when it cannot be loaded', async () => {
    const misses = new LazyMisses(async () => Promise.reject(new Error('no such file')))
    assert.throws(() => misses.answer(context, miss))
    await new Promise((resolve) => setImmediate(resolve))
    assert.throws(() => misses.answer(context, miss))
  })
})

function counted(flush: () => void = () => undefined): CountedMisses {
  return { answer: () => new Reply(404, [], 'prebuilt'), flush }
}

function answers(misses: LazyMisses): boolean {
  try {
    return misses.answer(context, miss).body === 'prebuilt'
  } catch {
    return false
  }
}
