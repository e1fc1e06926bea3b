// Which calls are of one kind, and what is not kept of them for the next one.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CallKind } from '../../../src/profiler/capture/call-kind.ts'

const headers = ['accept', '*/*', 'traceparent', '00-1', 'authorization', 'Bearer abc', 'user-agent', 'undici']

describe('CallKind', () => {
  it('keeps names and usual values, and of all others nothing', () => {
    const { sent } = new CallKind('fetch', 'GET', headers)
    assert.deepEqual(sent, ['accept', '*/*', 'traceparent', null, 'authorization', null, 'user-agent', 'undici'])
  })

  it('fits calls that differ in their own values only', () => {
    const kind = new CallKind('fetch', 'GET', headers)
    assert.ok(kind.fits('fetch', 'GET', headers.with(3, '00-2').with(5, 'Basic x')))
    assert.ok(!kind.fits('fetch', 'GET', headers.with(1, 'text/html')))
    assert.ok(!kind.fits('fetch', 'GET', headers.with(2, 'tracestate')))
    assert.ok(!kind.fits('fetch', 'GET', headers.slice(2)))
    assert.ok(!kind.fits('fetch', 'POST', headers))
    assert.ok(!kind.fits('node:http', 'GET', headers))
  })

  it('looks at two hundred names and values, and writes what is no text', () => {
    const many = Array.from({ length: 300 }, (_value, index) => String(index))
    const kind = new CallKind('fetch', 'GET', many)
    assert.equal(kind.sent.length, 200)
    assert.ok(kind.fits('fetch', 'GET', [...many.slice(0, 200), 'another']))
    assert.deepEqual(new CallKind('node:http', 'GET', ['accept', ['a', 'b'], 'x', 7]).sent, [
      'accept',
      'a, b',
      'x',
      null,
    ])
  })

  it('is copied without the list that holds nothing but it', () => {
    const kind = new CallKind('fetch', 'GET', ['accept', '*/*'])
    assert.deepEqual(kind.alone, [kind])
    assert.deepEqual({ ...structuredClone(kind) }, { client: 'fetch', method: 'GET', sent: ['accept', '*/*'] })
  })
})
