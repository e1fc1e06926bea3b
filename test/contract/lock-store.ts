// What every store of the application lock has to do. Engines run it from `test/stores/`.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LockState } from '../../src/plugins/maintenance/lock-store.ts'
import { until } from '../support/until.ts'
import type { OpenForTest } from './profile-store.ts'

/** A state as an operator sets it. */
export function makeLockState(parts: Partial<LockState> = {}): LockState {
  return { value: 1, reason: 'moving house', retryAfterSeconds: 300, changedAt: '2026-11-21T10:00:00.000Z', ...parts }
}

const unexpected = (error: unknown): void => assert.fail(String(error))

/** Declares the suite for one kind of engine. */
export function describeLockStore(name: string, open: OpenForTest): void {
  describe(`${name} keeps the lock`, () => {
    it('is open when nobody ever set it', async (test) => {
      const { lock } = await open(test)
      assert.equal((await lock.read()).value, 0)
    })

    it('gives back every state as it was written', async (test) => {
      const { lock } = await open(test)
      for (const value of [1, 0, 3, -1, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
        const state = makeLockState({ value, reason: `"${value}" \u0000 ü` })
        await lock.write(state)
        assert.deepEqual(await lock.read(), state)
      }
    })

    it('refuses a value that is no safe integer and keeps the last good one', async (test) => {
      const { lock } = await open(test)
      await lock.write(makeLockState({ value: 4 }))
      for (const value of [1.5, Number.NaN, Infinity, 2 ** 53]) {
        await assert.rejects(lock.write(makeLockState({ value })), {
          code: 'ERR_STORE_RECORD',
          message: /value .*safe integer/,
        })
      }
      assert.equal((await lock.read()).value, 4)
    })

    it('keeps whole seconds up to a week, or none, and refuses any other wait', async (test) => {
      const { lock } = await open(test)
      for (const retryAfterSeconds of [0, 604_800, null]) {
        await lock.write(makeLockState({ retryAfterSeconds }))
        assert.equal((await lock.read()).retryAfterSeconds, retryAfterSeconds)
      }
      for (const retryAfterSeconds of [-1, 1.5, 604_801, Number.NaN]) {
        await assert.rejects(lock.write(makeLockState({ retryAfterSeconds })), {
          code: 'ERR_STORE_RECORD',
          message: /retryAfterSeconds .*allowed is null or 0 to 604800 whole seconds/,
        })
      }
      assert.equal((await lock.read()).retryAfterSeconds, null)
    })

    it('tells every watcher of a change', async (test) => {
      const { lock } = await open(test)
      const seen: readonly number[][] = [[], []]
      const stops = seen.map((values) => lock.watch((state) => values.push(state.value), unexpected))
      await lock.write(makeLockState({ value: 1 }))
      await until(() => seen.every((values) => values.at(-1) === 1))
      await lock.write(makeLockState({ value: 0 }))
      await until(() => seen.every((values) => values.at(-1) === 0))
      assert.deepEqual(seen, [
        [1, 0],
        [1, 0],
      ])
      for (const stop of stops) stop()
    })

    it('tells nothing after the watching was stopped, which may be done twice', async (test) => {
      const { lock } = await open(test)
      const stopped: number[] = []
      const stop = lock.watch((state) => stopped.push(state.value), unexpected)
      stop()
      stop()
      const other: number[] = []
      const stopOther = lock.watch((state) => other.push(state.value), unexpected)
      await lock.write(makeLockState({ value: 3 }))
      await until(() => other.at(-1) === 3)
      assert.deepEqual(stopped, [])
      stopOther()
    })

    it('reports a watcher that throws to that watcher, and tells the others', async (test) => {
      const { lock } = await open(test)
      const errors: unknown[] = []
      const values: number[] = []
      const fault = new Error('watcher')
      const stops = [
        lock.watch(
          () => {
            throw fault
          },
          (error) => errors.push(error),
        ),
        lock.watch((state) => values.push(state.value), unexpected),
      ]
      await lock.write(makeLockState({ value: 5 }))
      await until(() => errors.length > 0 && values.length > 0)
      assert.deepEqual([errors, values], [[fault], [5]])
      for (const stop of stops) stop()
    })
  })
}
