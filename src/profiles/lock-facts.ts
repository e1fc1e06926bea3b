// What the profiler shows of the application lock. The plugin that closes the application gives it.

import type { LockPeriod, StoredReport } from './lock/lock-journal.ts'
import type { Closure, LockWindow } from './lock/lock-store.ts'

/** How much is closed: paths and routes, and whether reading stays possible. */
export interface ClosedFacts {
  /** `null`: everything. */
  readonly only: readonly string[] | null
  readonly readOnly: boolean
}

/** A time in which the application will be closed by plan, or is. */
export interface WindowFacts extends Required<Omit<LockWindow, keyof Closure>>, ClosedFacts {
  /** `announced`: the toolbar says so. */
  readonly state: 'planned' | 'announced' | 'active'
  /** Ids of windows that share a moment with it. */
  readonly overlaps: readonly string[]
}

/** A time in which the application was closed, or is. */
export interface PeriodFacts extends Omit<LockPeriod, keyof Closure>, ClosedFacts {
  /** So far, while it lasts. */
  readonly durationMs: number
  /** Requests that got the maintenance page; `null` if the store does not count. */
  readonly turnedAway: number | null
}

/** A process that has the plugin. */
export interface LockProcess extends Omit<StoredReport, 'heard'> {
  /** Whether it knows the state that the store has. */
  readonly hasHeard: boolean
}

/** What a plugin that closes the application tells the profiler. */
export interface LockView {
  /** Rejects if the lock cannot be read. */
  facts(): Promise<LockFacts>
  /** Why the lock was never read, a sentence; `null` if it was. */
  problem(): string | null
  /** The window that clients are told of now; `null` if there is none. */
  announced(): { readonly from: string; readonly to: string } | null
}

/** What a store says of the lock, its plan and its history. */
export interface LockFacts extends ClosedFacts {
  /** Name of the store: `sqlite:var/fanlight.db`. */
  readonly store: string
  /** The clock of the store, in milliseconds since 1970. */
  readonly now: number
  /** Whether anything is closed now. */
  readonly isClosed: boolean
  /** `APP_LOCK` */
  readonly bootValue: number
  /** The lock of the store. */
  readonly sharedValue: number
  readonly reason: string
  /** What clients are told to wait; `null`: what the application says. */
  readonly retryAfterSeconds: number | null
  /** Until when the link of the lock lets its readers in; `null` without one. */
  readonly linkExpiresAt: string | null
  /** When it was closed by hand; `null` if it is not, or by `APP_LOCK` alone. */
  readonly since: string | null
  readonly changedAt: string
  readonly changedBy: string
  /** When the application opens by plan, in milliseconds since 1970; `null` if nothing says. */
  readonly opensAt: number | null
  /** Active and coming ones, the earliest first. */
  readonly windows: readonly WindowFacts[]
  /** The newest first, 50 at most. */
  readonly history: readonly PeriodFacts[]
  /** Processes that were heard of in the last half hour; `null` if the store keeps no reports. */
  readonly processes: readonly LockProcess[] | null
}
