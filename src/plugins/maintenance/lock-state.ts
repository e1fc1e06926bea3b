// Checks the state that a lock store returns, and the seconds of `Retry-After`.

import type { LockState } from './lock-store.ts'

/** A week. */
export const maxRetryAfterSeconds = 604_800

/** In characters. */
export const maxReasonLength = 500

/** A usable state, or what is wrong with it in one sentence without a full stop. */
export type LockStateReading =
  | { readonly isUsable: true; readonly state: LockState }
  | { readonly isUsable: false; readonly problem: string }

/**
 * Copies a state, reading each property once, so that later changes to the source's object have no effect. Only `value`
 * decides whether it is usable: a missing or wrong reason, wait or time becomes its default. Never throws.
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
      retryAfterSeconds: isRetryAfter(retryAfterSeconds) ? retryAfterSeconds : null,
      changedAt: typeof changedAt === 'string' ? changedAt.slice(0, 40) : '',
    }
    return { isUsable: true, state }
  } catch {
    return unusable('it gave a state that cannot be read')
  }
}

/** Whether a value can be sent in `Retry-After`: whole seconds, a week at most. */
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
