// The ports of the application lock that all processes of a store share, of what operators and processes leave beside it, and what the
// profiler shows of both.

/** Seconds for `Retry-After` if neither the lock nor the application names any. */
export const defaultRetryAfterSeconds = 120

/** How much is closed. Without both members: everything. */
export interface Closure {
  /** Paths, `/checkout` or `/checkout/*` with all below it, and routes, `route:checkout`; 1 to 50 of at most 200 characters. Default: all. */
  readonly only?: readonly string[]
  /** Whether GET and HEAD pass. Default: no. */
  readonly readOnly?: boolean
}

/** The shared part of the application lock. A state with `only` or `readOnly` closes that much while bit 1 is not set. */
export interface LockState extends Closure {
  /** Bitmask; bit 1 (value 1) closes everything. A safe integer. */
  readonly value: number
  /** Why it was set, for operators; may be empty. Never shown to clients. */
  readonly reason: string
  /** Seconds for `Retry-After`, 0 to 604,800; `null`: each application uses its own. */
  readonly retryAfterSeconds: number | null
  /** When it was set, ISO 8601 in UTC: a state with an earlier time never takes the place of one with a later time. */
  readonly changedAt: string
  /** User of the operating system and machine, `anna@web-1`; at most 120 characters. Default: unknown. */
  readonly changedBy?: string
  /** Since when it has been closed without a break, ISO 8601 in UTC. Default: unknown, or open. */
  readonly since?: string
  /** The key and expiry of the link that lets its readers in. Default: there is no link. */
  readonly link?: LockLink
  /** When the application closes by plan, at most 20. Default: never. */
  readonly windows?: readonly LockWindow[]
}

/** Signs the links that let people in while the application is closed. */
export interface LockLink {
  /** 32 random bytes as base64url. A secret: no page, log or command shows it. */
  readonly key: string
  /** ISO 8601 in UTC. */
  readonly expiresAt: string
}

/** A time in which the application is closed by plan. */
export interface LockWindow extends Closure {
  /** For commands: 1 to 40 lower-case letters, digits and `-`. No two windows have the same. */
  readonly id: string
  /** ISO 8601 in UTC. */
  readonly from: string
  /** ISO 8601 in UTC, after `from`. */
  readonly to: string
  /** As in `LockState`. */
  readonly reason: string
  /** How long before `from` clients are told, in seconds; 0 to 604,800. */
  readonly noticeSeconds: number
  /** As `changedBy` of `LockState`. */
  readonly plannedBy?: string
}

/** How sure a store has to be that it does not lose a state. */
export interface LockWriteOptions {
  /** Whether it counts though only one of several nodes has it. Default: no. */
  readonly isForced?: boolean
}

/** Keeps the lock that all processes share: `maintenance({ store })`. */
export interface LockStore {
  /** For people: `PostgreSQL`. */
  readonly name: string
  /** The stored state; `value` 0 if it was never set. */
  read(): Promise<LockState>
  /** Replaces the state. Rejects where that cannot be done, or would be lost with one of several nodes. */
  write(state: LockState, options?: LockWriteOptions): Promise<void>
  /**
   * Writes a state that a process remembers, if the store has lost it: in one step, unless the stored state has the same `changedAt` or a
   * later one. Whether it was written. Default: `read` and `write`.
   */
  restore?(state: LockState): Promise<boolean>
  /** What operators and processes leave beside the lock. Default: no history, no counts; plans go by the clock of each machine. */
  readonly journal?: LockJournal
  /** Calls back within a second after another process (or this one) changed the state. Returns what stops it. Never throws. */
  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void
}

/** A time in which the application was closed. */
export interface LockPeriod {
  /** Of a planned one the `id` of its window, else the time at which it was closed: `since` of the lock's state. */
  readonly id: string
  /** ISO 8601 in UTC. */
  readonly from: string
  /** ISO 8601 in UTC; `null` while it lasts. */
  readonly to: string | null
  /** Why, for operators; may be empty. */
  readonly reason: string
  /** User and machine, `anna@web-1`; empty where that is not known. */
  readonly closedBy: string
  /** As `closedBy`; empty while it lasts, and where a window ended as planned. */
  readonly openedBy: string
  /** Whether it is a window of the plan. */
  readonly isPlanned: boolean
  /** As in the state of the lock. Default: everything was closed. */
  readonly only?: readonly string[]
  /** As in the state of the lock. Default: no. */
  readonly readOnly?: boolean
}

/** What a process says of itself. */
export interface LockReport {
  /** Tells the process from others: `web-1 4711`. */
  readonly process: string
  /** `changedAt` of the newest state that it has heard of. */
  readonly heard: string
  /** Whether anything is closed. */
  readonly isClosed: boolean
  /** Its requests that began before it closed and have not ended; 0 while it is open. */
  readonly running: number
}

/** What a process reported, with the time of the store. */
export interface StoredReport extends LockReport {
  /** When it came, by the clock of the store, in milliseconds since 1970. */
  readonly time: number
}

/** Everything that a journal has. */
export interface JournalContent {
  /** The clock of the store, in milliseconds since 1970. */
  readonly now: number
  /** The newest 50, in any order. */
  readonly periods: readonly LockPeriod[]
  /** Requests that got the maintenance page, by the `id` of the period. */
  readonly turnedAway: Readonly<Record<string, number>>
  /** Of processes that were heard of in the last half hour. */
  readonly reports: readonly StoredReport[]
}

/** Kept beside the lock, so that writing it can never change the lock. */
export interface LockJournal {
  /** The clock of the store, in milliseconds since 1970. */
  now(): Promise<number>
  /** Adds a period, or replaces the one of the same `id`. The oldest beyond 50 are dropped. */
  keep(period: LockPeriod): Promise<void>
  /** Adds requests that were turned away, by the `id` of the period. */
  count(turnedAway: Readonly<Record<string, number>>): Promise<void>
  /** Replaces the report of the process. */
  report(report: LockReport): Promise<void>
  /** Forgets the report of a process that ends. */
  leave(process: string): Promise<void>
  /** Everything at once. */
  read(): Promise<JournalContent>
}

export const maxPeriods = 50

/** A process that has reported nothing for this long, in milliseconds, is gone. */
export const forgottenMs = 1_800_000

/** The ids of the periods beyond the newest 50, for stores that drop them. */
export function periodsToDrop(periods: readonly Pick<LockPeriod, 'id' | 'from'>[]): readonly string[] {
  return periods
    .toSorted((one, other) => Date.parse(other.from) - Date.parse(one.from))
    .slice(maxPeriods)
    .map(({ id }) => id)
}

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
