// What a store says of the lock, put together for pages and commands: the state, the plan, and the history.

import type { ClosedFacts, LockFacts, PeriodFacts, WindowFacts } from '../profiles/lock-facts.ts'
import { type JournalContent, type LockPeriod, maxPeriods } from '../profiles/lock/lock-journal.ts'
import type { Closure, LockStore, LockWindow } from '../profiles/lock/lock-store.ts'
import { byBegin, endOfWindows, isActive, isOver, overlapping } from './lock-windows.ts'
import { closuresOf } from '../stores/lock/closure.ts'
import { joinBits } from '../stores/lock/lock-bits.ts'

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
export function periodOf(window: LockWindow, to: string | null, openedBy = ''): LockPeriod {
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
