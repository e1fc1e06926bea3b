// Which repeated statements are worth a word.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findRepeats, controlsSession, type ComparedQuery } from '../../../src/observe/outgoing/database-data.ts'
import { valueKey } from '../../../src/observe/outgoing/query-text.ts'

describe('findRepeats', () => {
  it('names an N+1 from three different values of one place on', () => {
    assert.deepEqual(kinds([of('1'), of('2')]), [])
    assert.deepEqual(kinds([of('1'), of('2'), of('3')]), ['n+1 3'])
    assert.deepEqual(kinds([of('1', 'a.ts:1'), of('2', 'b.ts:1'), of('3', 'c.ts:1')]), [])
    assert.deepEqual(kinds([of('1', null), of('2', null), of('3', null)]), [])
  })

  it('names duplicates wherever they come from, and both where both are', () => {
    assert.deepEqual(kinds([of('1', 'a.ts:1'), of('1', 'b.ts:1')]), ['duplicate 2'])
    assert.deepEqual(kinds([of('1'), of('2'), of('3'), of('3')]), ['n+1 4', 'duplicate 2'])
  })

  it('takes values that cannot be told for different ones', () => {
    assert.deepEqual(kinds([of(null), of(null)]), [])
    assert.deepEqual(kinds([of(null), of(null), of(null)]), ['n+1 3'])
  })

  it('leaves statements alone that only steer', () => {
    assert.deepEqual(
      findRepeats([of('1'), of('1')], () => false),
      [],
    )
    assert.deepEqual(['BEGIN', 'commit', 'SELECT 1', 'BEGINNING'].map(controlsSession), [true, true, false, false])
  })
})

describe('valueKey', () => {
  it('is equal for equal values only', () => {
    const values: readonly unknown[] = [
      undefined,
      ['1'],
      [1],
      [[1], 2],
      [[1, 2]],
      [null],
      ['a', 'b'],
      ['a,1:b'],
      [{ a: 1 }],
      [{ a: 2 }],
      [new Date(1)],
      [new Date(2)],
      [new Uint8Array([1])],
      [10n],
      ['x'.repeat(1000)],
    ]
    const keys = values.map(valueKey)
    assert.equal(new Set(keys).size, values.length)
    assert.deepEqual(values.map(valueKey), keys)
  })

  it('gives up on what is too large or cannot be read', () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    const hostile = new Proxy([], {
      get: () => {
        throw new Error('no')
      },
    })
    for (const value of ['x'.repeat(3000), Array(60).fill(1), cycle, () => 1, hostile]) {
      assert.equal(valueKey(value), null)
    }
  })
})

function of(key: string | null, callSite: string | null = 'a.ts:1'): ComparedQuery {
  return { group: 0, durationMs: 1, callSite, key }
}

function kinds(queries: readonly ComparedQuery[]): readonly string[] {
  return findRepeats(queries, () => true).map(({ kind, count }) => `${kind} ${count}`)
}
