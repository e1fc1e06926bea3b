// The rules for stores catch stores that break them, each its own fault.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkLockState, type LockState, type LockStore } from '../../src/index.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { lockStoreRules, type StoreRule } from '../../src/testing.ts'

/** A store whose methods are those of a good one, but for some. */
type Fault<Store> = (good: Store) => Partial<Store>

const lockFaults: Readonly<Record<string, Fault<LockStore>>> = {
  'is open when nobody ever set it': () => ({
    read: async () => ({ value: 1, reason: '', retryAfterSeconds: null, changedAt: '' }),
  }),
  'gives back every state as it was written': (good) => ({
    write: (state) => good.write({ ...state, reason: state.reason.replaceAll('\0', '') }),
  }),
  'keeps who changed it, what it closes, its link and its windows, and forgets them with the next state': (good) => ({
    write: ({ value, reason, retryAfterSeconds, changedAt }) =>
      good.write({ value, reason, retryAfterSeconds, changedAt }),
  }),
  'refuses a value that is not a safe integer and keeps the last good one': (good) => ({
    write: (state) => good.write({ ...state, value: Number.isSafeInteger(state.value) ? state.value : 0 }),
  }),
  'keeps whole seconds up to a week, or none, and refuses any other wait': (good) => ({
    write: (state) => good.write({ ...state, retryAfterSeconds: state.retryAfterSeconds === null ? null : 0 }),
  }),
  'tells every watcher of a change, each change once': (good) => ({
    watch: (onChange, onError) =>
      good.watch((state) => {
        onChange(state)
        onChange(state)
      }, onError),
  }),
  'tells of a change that another process made': (good) => ({
    watch: (onChange, onError) => {
      void good.read().then(onChange)
      return good.watch(onChange, onError)
    },
  }),
  'tells nothing after the watching was stopped, which may be done twice': (good) => ({
    watch: (onChange, onError) => {
      good.watch(onChange, onError)
      return () => undefined
    },
  }),
  'reports a watcher that throws to that watcher, and tells the others': (good) => {
    const listeners: ((error: unknown) => void)[] = []
    return {
      watch: (onChange, onError) => {
        listeners.push(onError)
        return good.watch(onChange, (error) => {
          for (const listener of listeners) listener(error)
        })
      },
    }
  },
}

function declare<Store extends object>(
  rules: readonly StoreRule<Store>[],
  faults: Readonly<Record<string, Fault<Store>>>,
  open: () => Promise<Store>,
): void {
  it('have a fault here, each of them', () => {
    assert.deepEqual(Object.keys(faults).sort(), rules.map(({ name }) => name).sort())
  })
  for (const { name, check } of rules) {
    it(`"${name}" catches a store that does not`, async () => {
      const good = await open()
      const fault = faults[name]?.(good) ?? {}
      const broken = new Proxy(good, {
        get: (target, key) => {
          const own: unknown = Reflect.get(Object.hasOwn(fault, key) ? fault : target, key)
          return typeof own === 'function' ? own.bind(target) : own
        },
      })
      await assert.rejects(check(broken, good), assert.AssertionError)
      await check(await open())
    })
  }
}

describe('lockStoreRules', () => {
  declare(lockStoreRules, lockFaults, async () => (await openEngine('memory:')).lock)
})

describe('checkLockState', () => {
  it('gives a frozen copy without anything else', () => {
    const state: LockState = { value: 1, reason: 'why', retryAfterSeconds: 5, changedAt: '2026-11-21T10:00:00.000Z' }
    const copy = checkLockState('own:', Object.assign({ more: true }, state))
    assert.deepEqual(copy, state)
    assert.ok(Object.isFrozen(copy))
  })

  it('names store, part and what is allowed', () => {
    const state = { value: 1, reason: '', retryAfterSeconds: null, changedAt: 'yesterday' }
    assert.throws(() => checkLockState('own:', state), {
      code: 'ERR_STORE_RECORD',
      message: 'The lock for own: has the changedAt "yesterday"; allowed is an instant in ISO 8601.',
    })
  })

  const state: LockState = { value: 0, reason: '', retryAfterSeconds: null, changedAt: '2026-11-21T10:00:00.000Z' }
  const window = { id: 'w', from: '2026-12-01T02:00Z', to: '2026-12-01T04:00Z', reason: '', noticeSeconds: 0 }
  const key = 'k'.repeat(43)
  for (const [part, wrong] of [
    ['changedBy', ['x@x'.repeat(41), 7]],
    [
      'only',
      [[], '/a', ['a'], ['/a*'], ['/*/b'], ['/a?b'], ['/%61'], ['route:'], ['/'.repeat(201)], Array(51).fill('/a')],
    ],
    ['since', ['today', 1]],
    ['readOnly', ['yes', 1]],
    ['link', [key, { key: 'short', expiresAt: state.changedAt }, { key }, { key, expiresAt: 'never' }]],
    [
      'windows',
      [
        {},
        ['w'],
        [window, window],
        [{ ...window, id: 'W' }],
        [{ ...window, to: window.from }],
        [{ ...window, from: 'soon' }],
        [{ ...window, reason: 'x'.repeat(501) }],
        [{ ...window, noticeSeconds: -1 }],
        [{ ...window, plannedBy: 1 }],
        [{ ...window, only: [] }],
        Array.from({ length: 21 }, (_, index) => ({ ...window, id: `w${index}` })),
      ],
    ],
  ] as const) {
    it(`says which ${part} can be kept, and shows no value`, () => {
      for (const value of wrong) {
        const given = Object.assign({}, state, { [part]: value })
        assert.throws(() => checkLockState('own:', given), {
          code: 'ERR_STORE_RECORD',
          message: new RegExp(`^The lock for own: has ${part} that cannot be kept; allowed is ((?!kkk|x@x).)+\\.$`),
        })
      }
    })
  }
})
