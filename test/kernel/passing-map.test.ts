// A map of what comes and goes: it behaves like a Map, and forgets.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PassingMap } from '../../src/kernel/passing-map.ts'
import { fc } from '../support/fast-check.ts'

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

  it('lets what left be collected with the young, after a full collection too', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: { type: 'major' | 'minor' }) => void
    const map = new PassingMap<number, object>()
    const pass = (from: number, count: number): void => {
      for (let key = from; key < from + count; key += 1) {
        map.set(key, { key, text: Array.from({ length: 100 }, () => key) })
        map.delete(key - 8)
      }
    }
    pass(0, 100)
    // What is in the map now is old from here on, its table too.
    collect({ type: 'major' })
    const before = process.memoryUsage().heapUsed
    for (let turn = 1; turn <= 10; turn += 1) {
      pass(turn * 1000, 1000)
      collect({ type: 'minor' })
    }
    collect({ type: 'minor' })
    const grownBytes = process.memoryUsage().heapUsed - before
    // All of them together are some nine megabytes.
    assert.ok(grownBytes < 2_000_000, `${grownBytes} bytes are still held`)
  })
})
