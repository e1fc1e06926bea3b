// The state of a lock that a store gives: what is allowed of its members, and copies of them.

import { isTarget, maxTargets, targetsAllowed } from './closure.ts'
import type { Closure, LockLink, LockState, LockWindow } from '../../profiles/lock.ts'
import { namesOf, membersOf } from '../../base/members.ts'
import { EngineError } from '../engine-error.ts'

/** In characters. */
export const maxReasonLength = 500

/** A week. */
export const maxRetryAfterSeconds = 604_800

/** In characters: `anna@web-1`. */
export const maxNameLength = 120

/** At a time. */
export const maxWindows = 20

const maxTimeLength = 40

export type OptionalMembers = Omit<LockState, 'value' | 'reason' | 'retryAfterSeconds' | 'changedAt'>

type MemberName = keyof OptionalMembers

interface Member<Value> {
  /** For people. */
  readonly allowed: string
  /** A frozen copy; `undefined` if it is malformed. */
  readonly read: (given: unknown) => Value | undefined
}

const members: { readonly [Name in MemberName]-?: Member<NonNullable<LockState[Name]>> } = {
  changedBy: { allowed: `text of at most ${maxNameLength} characters`, read: readName },
  since: { allowed: 'an instant in ISO 8601', read: (given) => (isInstant(given) ? given : undefined) },
  only: { allowed: targetsAllowed, read: readTargets },
  readOnly: { allowed: 'true or false', read: (given) => (typeof given === 'boolean' ? given : undefined) },
  link: { allowed: 'a key of 32 bytes as base64url, and when it expires', read: readLink },
  windows: { allowed: `a list of at most ${maxWindows} windows, each with a different id`, read: readWindows },
}

/** In the order in which states are written. */
const memberNames: readonly MemberName[] = namesOf(members)

/**
 * Frozen copies of the members that are there. `onWrong` is called with each one that is not as it has to be, and with what is allowed; it
 * is left out then. Throws what getters throw.
 */
export function readMembers(
  given: Partial<Record<MemberName, unknown>>,
  onWrong: (name: MemberName, allowed: string) => void,
): OptionalMembers {
  const read: Partial<Record<MemberName, unknown>> = {}
  for (const name of memberNames) {
    const value = given[name]
    if (value === undefined) continue
    const copy = members[name].read(value)
    if (copy === undefined) onWrong(name, members[name].allowed)
    else read[name] = copy
  }
  return read as OptionalMembers
}

/** A frozen copy of a window; `undefined` if it is malformed. */
function readWindow(given: unknown): LockWindow | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const parts = membersOf(given)
  const { id, from, to, reason, noticeSeconds, plannedBy, only, readOnly } = parts
  if (typeof id !== 'string' || !/^[a-z\d-]{1,40}$/.test(id)) return undefined
  if (!isInstant(from) || !isInstant(to) || Date.parse(to) <= Date.parse(from)) return undefined
  if (typeof reason !== 'string' || reason.length > maxReasonLength || !isRetryAfter(noticeSeconds)) return undefined
  let isWhole = true
  const more: Closure & { readonly changedBy?: string } = readMembers({ changedBy: plannedBy, only, readOnly }, () => {
    isWhole = false
  })
  if (!isWhole) return undefined
  const { changedBy, ...closure } = more
  const by = changedBy === undefined ? {} : { plannedBy: changedBy }
  return Object.freeze({ id, from, to, reason, noticeSeconds, ...by, ...closure })
}

/** Whether a value can be sent in `Retry-After`: whole seconds, a week at most. */
export function isRetryAfter(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxRetryAfterSeconds
}

function readName(given: unknown): string | undefined {
  return typeof given === 'string' && given.length <= maxNameLength ? given : undefined
}

function readTargets(given: unknown): readonly string[] | undefined {
  if (!Array.isArray(given) || given.length === 0 || given.length > maxTargets) return undefined
  const targets: string[] = []
  for (const target of given) {
    if (typeof target !== 'string' || !isTarget(target)) return undefined
    targets.push(target)
  }
  return Object.freeze(targets)
}

function readLink(given: unknown): LockLink | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { key, expiresAt } = membersOf(given)
  if (typeof key !== 'string' || !/^[\w-]{43}$/.test(key) || !isInstant(expiresAt)) return undefined
  return Object.freeze({ key, expiresAt })
}

function readWindows(given: unknown): readonly LockWindow[] | undefined {
  if (!Array.isArray(given) || given.length > maxWindows) return undefined
  const windows: LockWindow[] = []
  const ids = new Set<string>()
  for (const entry of given) {
    const window = readWindow(entry)
    if (window === undefined || ids.has(window.id)) return undefined
    ids.add(window.id)
    windows.push(window)
  }
  return Object.freeze(windows)
}

/** Whether a value is an instant in ISO 8601. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxTimeLength && !Number.isNaN(Date.parse(value))
}

/** What decides about requests. */
const closing: ReadonlySet<string> = new Set(['only', 'readOnly', 'windows'])

/** A usable state, or what is wrong with it in one sentence without a full stop. */
type LockStateReading =
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
  return new Date(now < timeOf(before) ? Math.min(timeOf(before) + 1, latestTime) : now).toISOString()
}

/** The last one that a date can have. An operator may have written it. */
const latestTime = 8.64e15

/**
 * Copies a state, reading each property once, so that later changes to the source's object have no effect. What decides
 * about requests (`value`, `only`, `readOnly`, `windows`) has to be right; anything else that is missing or wrong becomes its default. Never throws.
 */
export function readLockState(given: unknown): LockStateReading {
  try {
    if (typeof given !== 'object' || given === null)
      return unusable(`it gave ${shortly(given)} instead of a lock state`)
    const parts = membersOf(given)
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
