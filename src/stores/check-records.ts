// Checks a lock before a store writes it, and after it was read.

import { isRetryAfter, maxRetryAfterSeconds, readMembers } from './lock/lock-members.ts'
import type { LockState } from '../profiles/lock/lock-store.ts'
import { EngineError } from './engine-error.ts'

/** The state of a lock that was never set. */
export const openLock: LockState = Object.freeze({
  value: 0,
  reason: '',
  retryAfterSeconds: null,
  changedAt: '1970-01-01T00:00:00.000Z',
})

/**
 * A frozen copy of a state. Throws an Error with the code `ERR_STORE_RECORD` for the first part that is malformed. `store` is the name of the
 * store, for the message.
 */
export function checkLockState(store: string, state: LockState): LockState {
  const { value, reason, retryAfterSeconds, changedAt } = state
  if (!Number.isSafeInteger(value)) refuseLock(store, 'value', value, 'a safe integer')
  if (typeof reason !== 'string') refuseLock(store, 'reason', reason, 'a string')
  if (retryAfterSeconds !== null && !isRetryAfter(retryAfterSeconds)) {
    refuseLock(store, 'retryAfterSeconds', retryAfterSeconds, `null or 0 to ${maxRetryAfterSeconds} whole seconds`)
  }
  if (Number.isNaN(Date.parse(changedAt))) refuseLock(store, 'changedAt', changedAt, 'an instant in ISO 8601')
  const members = readMembers(state, (name, allowed) => {
    // A link has a secret, and the others are lists as a rule.
    throw new EngineError(
      'ERR_STORE_RECORD',
      `The lock for ${store} has ${name} that cannot be kept; allowed is ${allowed}.`,
    )
  })
  return Object.freeze({ value, reason, retryAfterSeconds, changedAt, ...members })
}

/** Throws the error for a malformed part. */
export function refuseLock(store: string, field: string, value: unknown, allowed: string): never {
  const shown = String(value).slice(0, 80)
  throw new EngineError('ERR_STORE_RECORD', `The lock for ${store} has the ${field} "${shown}"; allowed is ${allowed}.`)
}
