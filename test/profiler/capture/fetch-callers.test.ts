// Which calls of fetch are one call made again and again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FetchCallers } from '../../../src/profiler/capture/fetch-callers.ts'

const route = {}

describe('FetchCallers', () => {
  it('knows one address of one route again, whatever it asks for', () => {
    const callers = new FetchCallers()
    const known = callers.of(route, 'http://prices.example:8080/v1/prices/42?currency=EUR')
    assert.equal(callers.of(route, 'http://prices.example:8080/v1/prices/7#top'), known)
    assert.equal(callers.of(route, new URL('http://prices.example:8080/v1/prices/7')), known)
    assert.equal(callers.of(undefined, 'http://a.example'), callers.of(undefined, 'http://a.example'))
  })

  it('keeps other addresses and other routes apart', () => {
    const callers = new FetchCallers()
    const inputs = ['http://a.example:1/x', 'http://a.example:2/x', 'http://a.example:1/y', 'http://a.example', '']
    const all = inputs.flatMap((input) => [
      callers.of(route, input),
      callers.of({}, input),
      callers.of(undefined, input),
    ])
    assert.equal(new Set(all).size, all.length)
  })

  it('never knows again what is no address, or a very long one', () => {
    const callers = new FetchCallers()
    for (const input of [
      undefined,
      null,
      7,
      {},
      new Request('http://a.example/'),
      `http://a.example/${'x'.repeat(300)}`,
    ]) {
      assert.notEqual(callers.of(route, input), callers.of(route, input))
    }
  })

  it('forgets rather than to grow without a bound', () => {
    const callers = new FetchCallers()
    const first = callers.of(route, 'http://a.example/')
    for (let count = 0; count < 600; count += 1)
      callers.of(route, `http://a${'x'.repeat(count % 30)}.b${'x'.repeat(count / 30)}.example/`)
    assert.notEqual(callers.of(route, 'http://a.example/'), first)
  })
})
