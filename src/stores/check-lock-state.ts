// Checks a lock before a store writes it and after it reads it.

import { isRetryAfter, maxRetryAfterSeconds } from '../plugins/maintenance/lock-state.ts'
import type { LockState } from '../plugins/maintenance/lock-store.ts'
import { EngineError } from './engine-error.ts'

/** The state of a lock that was never set. */
export const openLock: LockState = Object.freeze({
  value: 0,
  reason: '',
  retryAfterSeconds: null,
  changedAt: '1970-01-01T00:00:00.000Z',
})

/** The state itself. Throws `EngineError` (`ERR_STORE_RECORD`) when a part is not of its form: the lock then stays as it is. */
export function checkLockState(store: string, state: LockState): LockState {
  if (!Number.isSafeInteger(state.value)) refuseLock(store, 'value', state.value, 'a safe integer')
  if (typeof state.reason !== 'string') refuseLock(store, 'reason', state.reason, 'a string')
  const { retryAfterSeconds } = state
  if (retryAfterSeconds !== null && !isRetryAfter(retryAfterSeconds)) {
    refuseLock(store, 'retryAfterSeconds', retryAfterSeconds, `null or 0 to ${maxRetryAfterSeconds} whole seconds`)
  }
  if (Number.isNaN(Date.parse(state.changedAt)))
    refuseLock(store, 'changedAt', state.changedAt, 'an instant in ISO 8601')
  return state
}

/** Throws the error for a part that is not of its form. */
export function refuseLock(store: string, field: string, value: unknown, allowed: string): never {
  const shown = String(value).slice(0, 80)
  throw new EngineError('ERR_STORE_RECORD', `The lock for ${store} has the ${field} "${shown}"; allowed is ${allowed}.`)
}
