// Paths without parameters are found by a few characters; what must hold is that nothing is mixed up or lost.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { FixedPaths } from '../../../src/framework/routing/fixed-paths.ts'

const somePath = fc.stringMatching(/^\/[a-c/é]{0,12}$/)

describe('FixedPaths', () => {
  it('finds the paths of the set and no other', () => {
    fc.assert(
      fc.property(fc.array(somePath, { maxLength: 80 }), fc.array(somePath), (known, asked) => {
        const paths = new FixedPaths(known)
        for (const path of [...known, ...asked]) {
          assert.equal(paths.find(path)?.path, known.includes(path) ? path : undefined)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('finds paths that differ where it does not look', () => {
    const known = Array.from({ length: 4000 }, (_, index) => `/the-same-beginning/${index}/the-same-end-of-all`)
    const paths = new FixedPaths(known)
    for (const path of known) assert.equal(paths.find(path)?.path, path)
    assert.equal(paths.find('/the-same-beginning/4001/the-same-end-of-all'), undefined)
  })

  it('has no entry for an empty path', () => {
    assert.equal(new FixedPaths(['/a']).find(''), undefined)
    assert.equal(new FixedPaths([]).find('/'), undefined)
  })
})
