// Hostile input of every kind, a little of it: nothing throws past its layer, nothing answers 5xx that is not meant to.
// `npm run fuzz` does the same for as long as one likes.

import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { fuzzTargets } from '../support/fuzz-targets.ts'

describe('hostile input', () => {
  for (const { name, open } of fuzzTargets) {
    it(`does no harm in ${name}`, async () => {
      const target = await open()
      try {
        await fc.assert(target.property, { numRuns: 25, endOnFailure: false })
      } finally {
        await target.close()
      }
    })
  }
})
