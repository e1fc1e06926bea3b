// How long a request that has ended waits for others before its profile is made.

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { EndedRequests } from '../../src/profiles/profiler.ts'
import { exchangeOf } from '../support/exchange.ts'

/** Rows that were completed so far, by their length; time passes when `t.mock.timers` is told so. */
function makeEnded(t: TestContext): { ended: EndedRequests; rows: number[]; end: (count: number) => void } {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rows: number[] = []
  const ended = new EndedRequests((exchanges) => rows.push(exchanges.length), globalThis)
  const end = (count: number): void => {
    for (let left = count; left > 0; left -= 1) ended.add(exchangeOf())
  }
  return { ended, rows, end }
}

describe('EndedRequests', () => {
  it('completes a single request after 30 ms', (t) => {
    const { rows, end } = makeEnded(t)
    end(1)
    t.mock.timers.tick(29)
    assert.deepEqual(rows, [])
    t.mock.timers.tick(1)
    assert.deepEqual(rows, [1])
  })

  it('waits longer after a row of many, and as before after one of few', (t) => {
    const { rows, end } = makeEnded(t)
    end(8)
    t.mock.timers.tick(30)
    end(2)
    t.mock.timers.tick(119)
    assert.deepEqual(rows, [8])
    t.mock.timers.tick(1)
    assert.deepEqual(rows, [8, 2])
    end(1)
    t.mock.timers.tick(30)
    assert.deepEqual(rows, [8, 2, 1])
  })

  it('lets no more than 64 wait', (t) => {
    const { rows, end } = makeEnded(t)
    end(130)
    assert.deepEqual(rows, [64, 64])
    t.mock.timers.tick(120)
    assert.deepEqual(rows, [64, 64, 2])
  })

  it('completes what waits when somebody wants to read it, and nothing twice', (t) => {
    const { ended, rows, end } = makeEnded(t)
    end(3)
    ended.completeAll()
    assert.deepEqual(rows, [3])
    ended.completeAll()
    t.mock.timers.tick(1000)
    assert.deepEqual(rows, [3])
  })
})
