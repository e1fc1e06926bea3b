// Judges what a lock source hands over. A value that cannot be used is named, never repaired.

import { defaultRetryAfterSeconds, type LockState } from './lock-store.ts'

/** The longest wait that may be asked for: a week. */
export const maxRetryAfterSeconds = 604_800

/** Characters of a reason at most. */
export const maxReasonLength = 500

/** A usable state, or what is wrong with it in one sentence without a full stop. */
export type LockStateReading =
  | { readonly isUsable: true; readonly state: LockState }
  | { readonly isUsable: false; readonly problem: string }

/**
 * Copies a state, reading each property once, so that a source which goes on changing its object changes nothing. Only
 * `value` decides whether it can be used; a missing or wrong reason, wait or time becomes its default. Never throws.
 */
export function readLockState(given: unknown): LockStateReading {
  try {
    if (typeof given !== 'object' || given === null)
      return unusable(`it gave ${shortly(given)} instead of a lock state`)
    const { value, reason, retryAfterSeconds, changedAt } = given as Partial<Record<keyof LockState, unknown>>
    if (!isSafeInteger(value)) return unusable(`its value is ${shortly(value)}; a safe integer is allowed`)
    const state: LockState = {
      value,
      reason: typeof reason === 'string' ? reason.slice(0, maxReasonLength) : '',
      retryAfterSeconds: isRetryAfter(retryAfterSeconds) ? retryAfterSeconds : defaultRetryAfterSeconds,
      changedAt: typeof changedAt === 'string' ? changedAt.slice(0, 40) : '',
    }
    return { isUsable: true, state }
  } catch {
    return unusable('it gave a state that cannot be read')
  }
}

/** Whether a number of seconds can stand in `Retry-After`. */
export function isRetryAfter(value: unknown): value is number {
  return isSafeInteger(value) && value >= 0 && value <= maxRetryAfterSeconds
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function unusable(problem: string): LockStateReading {
  return { isUsable: false, problem }
}

function shortly(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return typeof value === 'object' ? 'an object' : typeof value
}
