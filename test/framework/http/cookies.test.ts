// Cookies as browsers and attackers send them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { parseCookies } from '../../../src/framework/http/cookies.ts'

describe('parseCookies', () => {
  it('reads names and values', () => {
    assert.deepEqual(
      [...parseCookies('a=1; b="x y";c=%C3%A4 ; d=1=2')],
      [
        ['a', '1'],
        ['b', 'x y'],
        ['c', 'ä'],
        ['d', '1=2'],
      ],
    )
    assert.equal(parseCookies(undefined).size, 0)
  })

  it('lets the first cookie of a name count', () => assert.equal(parseCookies('a=first; a=second').get('a'), 'first'))

  it('passes over what is no cookie', () => {
    assert.deepEqual(
      [...parseCookies(';;= 1; nothing; =x; %=%; __proto__=1')],
      [
        ['%', '%'],
        ['__proto__', '1'],
      ],
    )
  })

  it('never throws', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (header) => void parseCookies(header)),
      { numRuns: 200 },
    ))
})
