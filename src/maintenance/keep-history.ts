// Writes a changed lock, and into its journal what the change has begun and ended.

import { closuresOf } from '../stores/lock/closure.ts'
import type { LockPeriod } from '../profiles/lock/lock-journal.ts'
import type { LockState, LockStore } from '../profiles/lock/lock-store.ts'
import { EngineError, isEngineError } from '../stores/engine-error.ts'
import { isActive, isOver } from './lock-windows.ts'
import { periodOf } from './read-lock-facts.ts'

/** A state that an operator wants instead of another one. */
export interface LockChange {
  readonly before: LockState
  readonly after: LockState
  /** The clock of the store, in milliseconds since 1970. */
  readonly now: number
  /** As in `LockWriteOptions`. */
  readonly isForced?: boolean
}

/**
 * Writes the state without windows that are over: those go into the journal. Rejects if the lock cannot be written, or its journal after
 * it was written; the message tells which.
 */
export async function writeLock(store: LockStore, { before, after, now, isForced = false }: LockChange): Promise<void> {
  const { windows = [], ...rest } = after
  const coming = windows.filter((window) => !isOver(window, now))
  const written = coming.length === 0 ? rest : { ...rest, windows: coming }
  await store.write(written, { isForced })
  await failingAs('The change is in force.', keepPeriods(store, { before, after: written, now }))
}

/** What of a store's failure must be told of a change: whether it counts. */
export async function failingAs<T>(
  outcome: 'Nothing was changed.' | 'The change is in force.',
  work: Promise<T>,
): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    if (!isEngineError(thrown)) throw thrown
    throw new EngineError(thrown.code, `${thrown.message} ${outcome}`, { cause: thrown })
  }
}

/** Writes into the journal what a change that was written has begun and ended. */
export async function keepPeriods({ journal }: LockStore, change: LockChange): Promise<void> {
  if (journal === undefined) return
  const { periods } = await journal.read()
  for (const period of changedPeriods(change, periods)) await journal.keep(period)
}

function changedPeriods({ before, after, now }: LockChange, known: readonly LockPeriod[]): readonly LockPeriod[] {
  const by = after.changedBy ?? ''
  const gone = (before.windows ?? []).filter(({ id }) => after.windows?.some((window) => window.id === id) !== true)
  const begun = gone.filter(({ from }) => Date.parse(from) <= now)
  return [
    ...begun.map((window) =>
      isActive(window, now) ? periodOf(window, new Date(now).toISOString(), by) : periodOf(window, window.to),
    ),
    ...endedPeriod(before, after, known),
    ...lastingPeriod(after, known),
  ]
}

function endedPeriod(before: LockState, after: LockState, known: readonly LockPeriod[]): readonly LockPeriod[] {
  const { since } = before
  if (since === undefined || since === after.since || !isClosedByHand(before)) return []
  const period = known.find(({ id }) => id === since) ?? periodByHand(before, since)
  return [{ ...period, to: after.changedAt, openedBy: after.changedBy ?? '' }]
}

/** The period of a lock that is closed: who closed it first stays. */
function lastingPeriod(after: LockState, known: readonly LockPeriod[]): readonly LockPeriod[] {
  const { since } = after
  if (since === undefined || !isClosedByHand(after)) return []
  const first = known.find(({ id }) => id === since)
  const period = periodByHand(after, since)
  return [first === undefined ? period : { ...period, closedBy: first.closedBy }]
}

function periodByHand({ reason, changedBy = '', only, readOnly, value }: LockState, since: string): LockPeriod {
  const [closure = {}] = closuresOf(value, { ...(only && { only }), ...(readOnly && { readOnly }) })
  return {
    id: since,
    from: since,
    to: null,
    reason,
    closedBy: changedBy,
    openedBy: '',
    isPlanned: false,
    ...closure,
  }
}

function isClosedByHand(state: LockState): boolean {
  return closuresOf(state.value, state).length > 0
}
