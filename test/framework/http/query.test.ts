// Queries: flat, and nothing in them can throw.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { parseQuery } from '../../../src/base/http/query.ts'

describe('parseQuery', () => {
  it('reads names and values in their order, several values of a name together', () => {
    assert.deepEqual(
      [...parseQuery('a=1&b=2&a=3&c')],
      [
        ['a', ['1', '3']],
        ['b', ['2']],
        ['c', ['']],
      ],
    )
    assert.equal(parseQuery('').size, 0)
    assert.deepEqual(
      [...parseQuery('&&a=&=b')],
      [
        ['a', ['']],
        ['', ['b']],
      ],
    )
  })

  it('decodes plus and percent, and leaves alone what cannot be decoded', () => {
    assert.deepEqual(parseQuery('q=a+b%20c%C3%A4').get('q'), ['a b cä'])
    assert.deepEqual(parseQuery('q=100%&r=%zz&s=%c0%af').get('q'), ['100%'])
    assert.deepEqual(parseQuery('r=%zz').get('r'), ['%zz'])
    assert.deepEqual(parseQuery('s=%ffa').get('s'), ['\ufffda'])
  })

  it('decodes the valid parts of broken values', () => {
    const fields = parseQuery('a=%zz%41&b=%E4%BD%A0%&c=%ff%c3%a4&d=%ED%A0%80&e=%C0%AF')
    assert.deepEqual([...fields.values()].flat(), ['%zzA', '你%', '\ufffdä', '\ufffd'.repeat(3), '\ufffd'.repeat(2)])
  })

  it('makes nothing of brackets and prototype names', () => {
    const fields = parseQuery('__proto__[status]=200&constructor=1&a[b]=2')
    assert.deepEqual([...fields.keys()], ['__proto__[status]', 'constructor', 'a[b]'])
    assert.equal(({} as { status?: unknown }).status, undefined)
  })

  it('reads at most 1000 pairs', () =>
    assert.equal(parseQuery(Array.from({ length: 5000 }, (_, n) => `k${n}=1`).join('&')).size, 1000))

  it('never throws, and agrees with URLSearchParams on well-formed queries', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (raw) => void parseQuery(raw)),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string())), (pairs) => {
        const params = new URLSearchParams(pairs)
        const fields = parseQuery(params.toString())
        for (const name of params.keys()) assert.deepEqual(fields.get(name), params.getAll(name))
      }),
      { numRuns: 200 },
    )
  })
})
