// A map of what comes and goes: it behaves like a Map, and forgets.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PassingMap } from '../../../src/framework/kernel/passing-map.ts'
import { fc } from '../../support/fast-check.ts'
import { survivingBytes } from '../../support/surviving-bytes.ts'

describe('PassingMap', () => {
  it('holds what a Map holds after the same steps, in the same order', () => {
    const step = fc.record({ key: fc.nat(120), adds: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const map = new PassingMap<number, object>()
        const twin = new Map<number, object>()
        for (const { key, adds } of steps) {
          const value = { key }
          if (adds) {
            map.set(key, value)
            twin.set(key, value)
          } else {
            map.delete(key)
            twin.delete(key)
          }
          assert.equal(map.size, twin.size)
          assert.equal(map.get(key), twin.get(key))
        }
        assert.deepEqual([...map.values()], [...twin.values()])
      }),
      { numRuns: 100 },
    )
  })

  it('goes on with its entries while others leave', () => {
    const map = new PassingMap<number, number>()
    for (let key = 0; key < 300; key += 1) map.set(key, key)
    const seen: number[] = []
    for (const value of map.values()) {
      seen.push(value)
      map.delete(value)
    }
    assert.equal(seen.length, 300)
    assert.equal(map.size, 0)
  })

  it('lets what left be collected with the young, after a full collection too', async () => {
    const map = new PassingMap<number, object>()
    let next = 0
    const pass = async (): Promise<void> => {
      for (const end = next + 1000; next < end; next += 1) {
        map.set(next, { next, text: Array.from({ length: 100 }, () => next) })
        map.delete(next - 8)
      }
    }
    await pass()
    const bytes = (await survivingBytes(pass, 10)) / 10_000
    // A Map holds some 500 of the 900 that each has.
    assert.ok(bytes < 200, `${bytes.toFixed(0)} bytes of each are still held`)
  })
})
