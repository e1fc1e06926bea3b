import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RateLimiter } from '../../../src/profiles/sampling/sampler.ts'

/** How many of so many requests may be recorded. */
function taken(pace: RateLimiter, requests: number): number {
  let count = 0
  for (let index = 0; index < requests; index += 1) if (pace.take()) count += 1
  return count
}

describe('RateLimiter', () => {
  it('lets a short flood through, then so many a second', () => {
    let now = 5000
    const pace = new RateLimiter({ perSecond: 200, burst: 2000 }, () => now)
    assert.equal(taken(pace, 5000), 2000)
    now += 500
    assert.equal(taken(pace, 5000), 100)
    now += 2
    assert.equal(taken(pace, 5000), 0)
    now += 3
    assert.equal(taken(pace, 5000), 1)
  })

  it('saves up to the burst and no more', () => {
    let now = 0
    const pace = new RateLimiter({ perSecond: 10, burst: 30 }, () => now)
    assert.equal(taken(pace, 40), 30)
    now += 3_600_000
    assert.equal(taken(pace, 40), 30)
  })

  it('records now and then where less than one a second is allowed', () => {
    let now = 0
    const pace = new RateLimiter({ perSecond: 0.5, burst: 5 }, () => now)
    assert.equal(taken(pace, 9), 5)
    now += 1000
    assert.equal(taken(pace, 9), 0)
    now += 1000
    assert.equal(taken(pace, 9), 1)
  })
})
