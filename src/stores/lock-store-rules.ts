// What every store of the application lock has to do.

import assert from 'node:assert/strict'
import type { LockState, LockStore } from '../profiles/lock.ts'

/** One thing that every store of a kind has to do. */
export interface StoreRule<Store> {
  /** A sentence whose subject is the store: `gives back every state as it was written`. */
  readonly name: string
  /**
   * Tries it on an empty store that nobody else uses. `other` is a second store of the same place, as another process has it; by
   * default the store itself. Rejects with an AssertionError of `node:assert`, or with what the store rejects with.
   */
  check(store: Store, other?: Store): Promise<void>
}

/** How long a store may take at most to tell of a change, in milliseconds: machines that run tests are busy. */
const patienceMs = 30_000

/** Asks again and again until the condition holds. Rejects with an AssertionError that says what did not come. */
async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail(`${what}: not within ${patienceMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Every rule of a `LockStore`, for any test runner: one test each. */
export const lockStoreRules: readonly StoreRule<LockStore>[] = [
  {
    name: 'is open when nobody ever set it',
    check: async (store) => assert.equal((await store.read()).value, 0),
  },
  {
    name: 'gives back every state as it was written',
    check: async (store, other = store) => {
      for (const value of [1, 0, 3, -1, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
        const state = stateOf({ value, reason: `"${value}" \u0000 ü` })
        await store.write(state)
        assert.deepEqual(await store.read(), state)
        assert.deepEqual(await other.read(), state, 'as another process reads it')
      }
    },
  },
  {
    name: 'keeps who changed it, what it closes, its link and its windows, and forgets them with the next state',
    check: async (store, other = store) => {
      const state = stateOf({
        value: 4,
        changedBy: 'anna@web-1',
        since: '2026-11-21T09:00:00.000Z',
        only: ['/checkout/*', 'route:order.pay'],
        readOnly: true,
        link: { key: 'k'.repeat(43), expiresAt: '2026-11-21T12:00:00.000Z' },
        windows: [
          {
            id: 'w1',
            from: '2026-12-01T02:00:00.000Z',
            to: '2026-12-01T04:00:00.000Z',
            reason: '',
            noticeSeconds: 900,
            plannedBy: 'ben@web-2',
            only: ['/'],
            readOnly: false,
          },
        ],
      })
      await store.write(state)
      assert.deepEqual(await store.read(), state)
      assert.deepEqual(await other.read(), state, 'as another process reads it')
      await store.write(stateOf({}))
      assert.deepEqual(await store.read(), stateOf({}))
    },
  },
  {
    name: 'refuses a value that is not a safe integer and keeps the last good one',
    check: async (store) => {
      await store.write(stateOf({ value: 4 }))
      for (const value of [1.5, Number.NaN, Infinity, 2 ** 53]) {
        await refuses(store, { value }, /value .*safe integer/)
      }
      assert.equal((await store.read()).value, 4)
    },
  },
  {
    name: 'keeps whole seconds up to a week, or none, and refuses any other wait',
    check: async (store) => {
      for (const retryAfterSeconds of [0, 604_800, null]) {
        await store.write(stateOf({ retryAfterSeconds }))
        assert.equal((await store.read()).retryAfterSeconds, retryAfterSeconds)
      }
      for (const retryAfterSeconds of [-1, 1.5, 604_801, Number.NaN]) {
        await refuses(store, { retryAfterSeconds }, /retryAfterSeconds .*allowed is null or 0 to 604800 whole seconds/)
      }
      assert.equal((await store.read()).retryAfterSeconds, null)
    },
  },
  {
    name: 'tells every watcher of a change, each change once',
    check: async (store) => {
      using first = new Watcher(store)
      using second = new Watcher(store)
      await store.write(stateOf({ value: 1 }))
      await Promise.all([first.hears(1), second.hears(1)])
      await store.write(stateOf({ value: 0 }))
      await Promise.all([first.hears(0), second.hears(0)])
      assert.deepEqual(
        [first.values, second.values],
        [
          [1, 0],
          [1, 0],
        ],
      )
    },
  },
  {
    name: 'tells of a change that another process made',
    check: async (store, other = store) => {
      await store.write(stateOf({ value: 2 }))
      using watcher = new Watcher(store)
      await store.read()
      await other.write(stateOf({ value: 3 }))
      await watcher.hears(3)
      assert.deepEqual(await store.read(), stateOf({ value: 3 }))
      assert.deepEqual(watcher.values, [3])
    },
  },
  {
    name: 'tells nothing after the watching was stopped, which may be done twice',
    check: async (store) => {
      const stopped = new Watcher(store)
      stopped.stop()
      stopped.stop()
      using watcher = new Watcher(store)
      await store.write(stateOf({ value: 3 }))
      await watcher.hears(3)
      assert.deepEqual(stopped.values, [])
    },
  },
  {
    name: 'reports a watcher that throws to that watcher, and tells the others',
    check: async (store) => {
      const fault = new Error('watcher')
      using throwing = new Watcher(store, fault)
      using watcher = new Watcher(store)
      await store.write(stateOf({ value: 5 }))
      await watcher.hears(5)
      await eventually('the fault of the watcher', () => throwing.errors.length > 0)
      assert.deepEqual([throwing.errors, watcher.values, watcher.errors], [[fault], [5], []])
    },
  },
]

/** A state as an operator sets it. */
function stateOf(parts: Partial<LockState>): LockState {
  return { value: 1, reason: 'moving house', retryAfterSeconds: 300, changedAt: '2026-11-21T10:00:00.000Z', ...parts }
}

function refuses(store: LockStore, parts: Partial<LockState>, message: RegExp): Promise<void> {
  return assert.rejects(store.write(stateOf(parts)), { code: 'ERR_STORE_RECORD', message })
}

class Watcher implements Disposable {
  readonly values: number[] = []
  readonly errors: unknown[] = []
  readonly stop: () => void

  /** With a fault it throws that each time. */
  constructor(store: LockStore, fault?: Error) {
    const onChange = ({ value }: LockState): void => {
      if (fault !== undefined) throw fault
      this.values.push(value)
    }
    this.stop = store.watch(onChange, (error) => this.errors.push(error))
  }

  hears(value: number): Promise<void> {
    return eventually(`the value ${value}`, () => this.values.at(-1) === value)
  }

  [Symbol.dispose](): void {
    this.stop()
  }
}
