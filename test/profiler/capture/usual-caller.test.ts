// How deep stacks are caught, and when none is, learnt from where callers were found.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UsualCaller } from '../../../src/profiler/capture/usual-caller.ts'

const place = 'src/prices.ts:12'
const elsewhere = 'src/rates.ts:7'

/** What stands in the profiles of so many calls; `null` for those whose stack is caught. */
function assumed(caller: UsualCaller, calls: number): readonly (string | null)[] {
  return Array.from({ length: calls }, () => caller.assume()?.name ?? null)
}

function found(caller: UsualCaller, times: number, at: string | null = place, frame = 4): void {
  for (let time = 0; time < times; time += 1) caller.foundAt(frame, at)
}

describe('UsualCaller', () => {
  it('catches no more than is needed once the caller has stood at one depth often enough', () => {
    const caller = new UsualCaller(8)
    found(caller, 7)
    assert.equal(caller.frames, 8)
    found(caller, 1)
    assert.equal(caller.frames, 4)
  })

  it('counts anew for a caller at another depth', () => {
    const caller = new UsualCaller(8)
    found(caller, 7)
    found(caller, 1, place, 6)
    found(caller, 1)
    assert.equal(caller.frames, 8)
  })

  it('goes back for good when less was not enough once', () => {
    const caller = new UsualCaller(8)
    found(caller, 8)
    found(caller, 1, null, 0)
    assert.equal(caller.frames, 8)
    found(caller, 20)
    assert.equal(caller.frames, 8)
  })

  it('goes on looking where no caller was among all that were caught', () => {
    const caller = new UsualCaller(8)
    found(caller, 1, null, 0)
    found(caller, 8, place, 5)
    assert.equal(caller.frames, 5)
  })

  it('catches as deep as ever where callers may stand at different depths', () => {
    const caller = new UsualCaller(24, false)
    found(caller, 40)
    assert.equal(caller.frames, 24)
  })

  it('assumes a place that 32 stacks led to, says so, and has each thirty-second call looked at', () => {
    const caller = new UsualCaller(8)
    found(caller, 31)
    assert.deepEqual(new Set(assumed(caller, 40)), new Set([null]))
    found(caller, 1)
    const names = assumed(caller, 128)
    assert.deepEqual(new Set(names), new Set([`${place} (assumed)`, null]))
    assert.equal(names.filter((name) => name === null).length, 4)
  })

  it('assumes a place in a dependency, too, where no own code was among the calls', () => {
    const caller = new UsualCaller(8)
    found(caller, 32, 'node_modules/store/index.js:3', 0)
    assert.deepEqual(assumed(caller, 1), ['node_modules/store/index.js:3 (assumed)'])
  })

  it('assumes nothing any more once a second place is known, or none was found', () => {
    for (const other of [elsewhere, null]) {
      const caller = new UsualCaller(8)
      found(caller, 32)
      found(caller, 1, other)
      found(caller, 100)
      assert.deepEqual(new Set(assumed(caller, 40)), new Set([null]))
    }
  })

  it('assumes nothing for what is sent from two places in turn', () => {
    const caller = new UsualCaller(8)
    for (let time = 0; time < 50; time += 1) found(caller, 1, time % 2 === 0 ? place : elsewhere)
    assert.deepEqual(new Set(assumed(caller, 40)), new Set([null]))
  })
})
