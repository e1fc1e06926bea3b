// Reading and handing on the header `traceparent` (W3C Trace Context).

import assert from 'node:assert/strict'
import { fc } from '../../support/fast-check.ts'
import { describe, it } from 'node:test'
import {
  createSpanId,
  parseTraceparent,
  traceContextOf,
  traceparentOf,
} from '../../../src/observe/outgoing/trace-context.ts'
import { requestContext } from '../../support/exchange.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('parseTraceparent', () => {
  it('reads what the specification allows', () => {
    const taken = { traceId, parentSpanId: spanId, flags: '01' }
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-01`), taken)
    assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01-what-comes-later`), taken)
  })

  it('refuses everything else', () => {
    const wrong = [
      '',
      `00-${traceId}-${spanId}`,
      `00-${traceId}-${spanId}-01-more`,
      `ff-${traceId}-${spanId}-01`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${traceId}-${spanId}-01\r\nX: 1`,
      `00-${traceId}-${spanId}-1`,
    ]
    assert.deepEqual(
      wrong.map(parseTraceparent),
      wrong.map(() => null),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseTraceparent(text)
      }),
      { numRuns: 200 },
    )
  })
})

describe('traceContextOf', () => {
  it('begins a trace where the request names none, or two', () => {
    const header = `00-${traceId}-${spanId}-01`
    for (const rawHeaders of [[], ['traceparent', 'nonsense'], ['traceparent', header, 'traceparent', header]]) {
      const trace = traceContextOf(requestContext({ rawHeaders }))
      assert.match(trace.traceId, /^[0-9a-f]{32}$/)
      assert.notEqual(trace.traceId, traceId)
      assert.equal(trace.parentSpanId, null)
      assert.notEqual(parseTraceparent(traceparentOf(trace, createSpanId())), null)
    }
  })

  it('takes a tracestate only beside a traceparent, and only what can be handed on', () => {
    const header = ['traceparent', `00-${traceId}-${spanId}-00`]
    const stateOf = (...rawHeaders: string[]): string | null => traceContextOf(requestContext({ rawHeaders })).state
    assert.equal(stateOf(...header, 'tracestate', 'a=1', 'tracestate', 'b=2'), 'a=1,b=2')
    assert.equal(stateOf('tracestate', 'a=1'), null)
    assert.equal(stateOf(...header, 'tracestate', 'a=\u00e9'), null)
    assert.equal(stateOf(...header, 'tracestate', 'a'.repeat(513)), null)
  })
})
