// Statements that are known by their shape.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KnownStatement } from '../../../src/profiler/capture/known-statement.ts'

const facts = { system: 'postgresql', library: 'pg', namespace: null, text: { text: 'a', shape: 'a' }, key: '' }

describe('KnownStatement', () => {
  it('gives one kind for the same facts, and another for any that differ', () => {
    const known = new KnownStatement(26)
    const kind = known.kindOf(facts)
    assert.equal(known.kindOf({ ...facts }), kind)
    const others = [{ namespace: 'db 1' }, { system: 'mysql' }, { text: { text: 'a', shape: 'a' } }, { key: null }]
    for (const other of others) {
      const different = known.kindOf({ ...facts, ...other })
      assert.deepEqual(different.facts, { ...facts, ...other })
      assert.notEqual(different, kind)
    }
  })
})
