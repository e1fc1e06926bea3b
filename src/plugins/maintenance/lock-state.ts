// Checks the state that a lock store returns.

import { isRetryAfter, maxReasonLength, readMembers } from './lock-members.ts'
import type { LockState } from './lock-store.ts'

/** What decides about requests. */
const closing: ReadonlySet<string> = new Set(['only', 'readOnly', 'windows'])

/** A usable state, or what is wrong with it in one sentence without a full stop. */
export type LockStateReading =
  | { readonly isUsable: true; readonly state: LockState }
  | { readonly isUsable: false; readonly problem: string }

/** Whether a state was set before another one. One that was never set, or does not say when, is older than every other. */
export function isOlder(one: Pick<LockState, 'changedAt'>, other: Pick<LockState, 'changedAt'>): boolean {
  return timeOf(one) < timeOf(other)
}

function timeOf({ changedAt }: Pick<LockState, 'changedAt'>): number {
  return Date.parse(changedAt) || 0
}

/** When a state is set that takes the place of another one: not earlier than that, whatever the clock says. `now`: milliseconds since 1970. */
export function changeTime(before: LockState, now: number): string {
  return new Date(now < timeOf(before) ? timeOf(before) + 1 : now).toISOString()
}

/**
 * Copies a state, reading each property once, so that later changes to the source's object have no effect. What decides
 * about requests (`value`, `only`, `readOnly`, `windows`) has to be right; anything else that is missing or wrong becomes its default. Never throws.
 */
export function readLockState(given: unknown): LockStateReading {
  try {
    if (typeof given !== 'object' || given === null)
      return unusable(`it gave ${shortly(given)} instead of a lock state`)
    const parts = given as Partial<Record<keyof LockState, unknown>>
    const { value, reason, retryAfterSeconds, changedAt } = parts
    if (!Number.isSafeInteger(value)) return unusable(`its value is ${shortly(value)}; a safe integer is allowed`)
    let problem: string | undefined
    const members = readMembers(parts, (name, allowed) => {
      if (closing.has(name)) problem ??= `its ${name} cannot be used; allowed is ${allowed}`
    })
    if (problem !== undefined) return unusable(problem)
    const state: LockState = {
      value: Number(value),
      reason: typeof reason === 'string' ? reason.slice(0, maxReasonLength) : '',
      retryAfterSeconds: isRetryAfter(retryAfterSeconds) ? retryAfterSeconds : null,
      changedAt: typeof changedAt === 'string' ? changedAt.slice(0, 40) : '',
      ...members,
    }
    return { isUsable: true, state }
  } catch {
    return unusable('it gave a state that cannot be read')
  }
}

function unusable(problem: string): LockStateReading {
  return { isUsable: false, problem }
}

function shortly(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return typeof value === 'object' ? 'an object' : typeof value
}
