// What is known by a name.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Remembered } from '../../../src/profiler/capture/remembered.ts'

const make = (): object => ({})

describe('Remembered', () => {
  it('knows a thing again by its name', () => {
    const things = new Remembered<object>()
    const known = things.of('pg SELECT ?', make)
    assert.equal(things.of('pg SELECT ?', make), known)
    assert.notEqual(things.of('pg SELECT 1', make), known)
  })

  it('forgets rather than to grow without a bound', () => {
    const things = new Remembered<object>()
    const first = things.of('0', make)
    for (let name = 1; name <= 500; name += 1) things.of(String(name), make)
    assert.notEqual(things.of('0', make), first)
  })
})
