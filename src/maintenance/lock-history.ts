// The state, the plan and the history of the lock: what a store says of them, put together for pages and commands, and how a changed lock
// is written into the store and its journal.

import { type JournalContent, type LockPeriod, maxPeriods } from '../profiles/lock.ts'
import type {
  ClosedFacts,
  LockFacts,
  PeriodFacts,
  WindowFacts,
  Closure,
  LockStore,
  LockWindow,
  LockState,
} from '../profiles/lock.ts'
import { byBegin, endOfWindows, isActive, isOver, overlapping } from './lock.ts'
import { closuresOf, joinBits } from '../stores/lock/closure.ts'
import { EngineError, isEngineError } from '../stores/engine-error.ts'

/** `bootValue` is `APP_LOCK`. Rejects if the store cannot be read. */
export async function readLockFacts(
  store: Pick<LockStore, 'name' | 'read' | 'journal'>,
  bootValue: number,
): Promise<LockFacts> {
  const state = await store.read()
  const journal = (await store.journal?.read()) ?? null
  const now = journal?.now ?? Date.now()
  const { windows = [] } = state
  const [byHand] = closuresOf(joinBits(bootValue, state.value), state)
  const isClosedByHand = byHand !== undefined
  const history = periodsOf(windows, journal?.periods ?? [], now)
    .map((period) => periodFacts(period, journal, now))
    .sort((one, other) => Date.parse(other.from) - Date.parse(one.from))
  return {
    store: store.name,
    now,
    isClosed: isClosedByHand || windows.some((window) => isActive(window, now)),
    bootValue,
    sharedValue: state.value,
    ...closedFacts(byHand ?? {}),
    reason: state.reason,
    retryAfterSeconds: state.retryAfterSeconds,
    linkExpiresAt: state.link?.expiresAt ?? null,
    since: state.since ?? null,
    changedAt: state.changedAt,
    changedBy: state.changedBy ?? '',
    opensAt: isClosedByHand ? null : endOfWindows(windows, now),
    windows: byBegin(windows)
      .filter((window) => !isOver(window, now))
      .map((window) => windowFacts(window, windows, now)),
    history: history.slice(0, maxPeriods),
    processes:
      journal?.reports
        .map(({ heard, ...report }) => Object.assign(report, { hasHeard: heard === state.changedAt }))
        .sort((one, other) => (one.process < other.process ? -1 : 1)) ?? null,
  }
}

/** The period that a window makes; `openedBy` where somebody ended it early. */
function periodOf(window: LockWindow, to: string | null, openedBy = ''): LockPeriod {
  const { id, from, reason, plannedBy = '', only, readOnly } = window
  const closure: Closure = { ...(only === undefined ? {} : { only }), ...(readOnly === true ? { readOnly } : {}) }
  return { id, from, to, reason, closedBy: plannedBy, openedBy, isPlanned: true, ...closure }
}

/** Windows that have begun are a part of the history before anybody writes them into the journal. */
function periodsOf(windows: readonly LockWindow[], kept: readonly LockPeriod[], now: number): readonly LockPeriod[] {
  const begun = windows.filter(({ id, from }) => Date.parse(from) <= now && !kept.some((period) => period.id === id))
  return [...kept, ...begun.map((window) => periodOf(window, isOver(window, now) ? window.to : null))]
}

function periodFacts(period: LockPeriod, journal: JournalContent | null, now: number): PeriodFacts {
  const { id, from, to } = period
  return {
    ...period,
    ...closedFacts(period),
    durationMs: Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from)),
    turnedAway: journal === null ? null : (journal.turnedAway[id] ?? 0),
  }
}

function windowFacts(window: LockWindow, windows: readonly LockWindow[], now: number): WindowFacts {
  const { from, noticeSeconds, plannedBy = '' } = window
  const isAnnounced = Date.parse(from) - noticeSeconds * 1000 <= now
  return {
    ...window,
    plannedBy,
    ...closedFacts(window),
    state: isActive(window, now) ? 'active' : isAnnounced ? 'announced' : 'planned',
    overlaps: overlapping(window, windows).map((other) => other.id),
  }
}

function closedFacts({ only = null, readOnly = false }: Partial<ClosedFacts> | Closure): ClosedFacts {
  return { only, readOnly }
}

/** A state that an operator wants instead of another one. */
interface LockChange {
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
async function keepPeriods({ journal }: LockStore, change: LockChange): Promise<void> {
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
