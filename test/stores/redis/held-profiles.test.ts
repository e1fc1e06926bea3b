// What waits for parts of the store: bounded by count and by bytes over all parts together, the oldest go first.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HeldProfiles } from '../../../src/redis/redis-place.ts'
import { toStoredRow, type StoredRow } from '../../../src/redis/profile-rows.ts'
import { makeProfile } from '../../support/profiles.ts'

const mebibyte = 1024 * 1024

function makeRow(bytes = 500): StoredRow {
  const profile = makeProfile()
  return { ...toStoredRow({ profile, json: JSON.stringify(profile) }), bytes }
}

describe('HeldProfiles', () => {
  it('keeps 2,000 at most, whichever part they are for', () => {
    const held = new HeldProfiles()
    const [one, other] = [{}, {}]
    const rows = Array.from({ length: 2010 }, () => makeRow())
    held.add(rows.slice(0, 1000), one)
    held.add(rows.slice(1000), other)
    assert.deepEqual([held.size, held.stats.dropped], [2000, 10])
    assert.deepEqual(held.of(one), rows.slice(10, 1000))
    assert.deepEqual(held.of(other), rows.slice(1000))
    assert.equal(held.get(rows[9]?.token ?? ''), undefined)
  })

  it('keeps 32 MB at most', () => {
    const held = new HeldProfiles()
    const part = {}
    const rows = Array.from({ length: 40 }, () => makeRow(mebibyte))
    held.add(rows, part)
    const { heldBytes, maxHeldBytes, dropped } = held.stats
    assert.deepEqual([held.size, heldBytes, maxHeldBytes, dropped], [32, 32 * mebibyte, 32 * mebibyte, 8])
    assert.deepEqual(held.of(part), rows.slice(8))
  })

  it('counts as late what is stored in the end', () => {
    const held = new HeldProfiles()
    const part = {}
    const rows = Array.from({ length: 2005 }, () => makeRow())
    held.add(rows, part)
    held.release(rows, {})
    assert.equal(held.size, 2000)
    held.release(rows, part)
    const { held: left, heldBytes, late, dropped } = held.stats
    assert.deepEqual([left, heldBytes, late, dropped], [0, 0, 2000, 5])
  })
})
