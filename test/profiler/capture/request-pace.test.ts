// When requests are many.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { manyRequests, RequestPace } from '../../../src/profiler/capture/request-pace.ts'

function send(pace: RequestPace, count: number, atMs: number): void {
  for (let sent = 0; sent < count; sent += 1) pace.began(atMs)
}

describe('RequestPace', () => {
  it('is busy from the fiftieth request of a second on', () => {
    const pace = new RequestPace()
    send(pace, manyRequests - 1, 5000)
    assert.equal(pace.isBusy, false)
    send(pace, 1, 5999)
    assert.equal(pace.isBusy, true)
  })

  it('stays so for the second that follows, and no longer', () => {
    const pace = new RequestPace()
    send(pace, manyRequests, 5000)
    send(pace, 1, 6000)
    assert.equal(pace.isBusy, true)
    send(pace, 1, 7000)
    assert.equal(pace.isBusy, false)
  })

  it('is not busy with the first request after a rest', () => {
    const pace = new RequestPace()
    send(pace, 10 * manyRequests, 5000)
    send(pace, 1, 60_000)
    assert.equal(pace.isBusy, false)
  })
})
