// Declares a test for each rule of a store of the application lock. Engines run it from `test/stores/`.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LockState } from '../../src/profiles/lock.ts'
import { lockStoreRules } from '../../src/testing.ts'
import type { OpenForTest } from './profile-store.ts'

/** A state as an operator sets it. */
export function makeLockState(parts: Partial<LockState> = {}): LockState {
  return { value: 1, reason: 'moving house', retryAfterSeconds: 300, changedAt: '2026-11-21T10:00:00.000Z', ...parts }
}

/** Declares the suite for one kind of engine. */
export function describeLockStore(name: string, open: OpenForTest): void {
  describe(`${name} keeps the lock`, () => {
    for (const rule of lockStoreRules) it(rule.name, async (test) => rule.check((await open(test)).lock))

    it('writes a remembered state over an older one alone, if it can', async (test) => {
      const { lock } = await open(test)
      if (lock.restore === undefined) return
      const [early, late] = [makeLockState(), makeLockState({ value: 4, changedAt: '2026-11-21T10:00:00.001Z' })]
      for (const [state, isWritten] of [
        [early, true],
        [late, true],
        [early, false],
        [{ ...late, value: 5 }, false],
      ] as const) {
        assert.equal(await lock.restore(state), isWritten)
      }
      assert.deepEqual(await lock.read(), late)
    })
  })
}
