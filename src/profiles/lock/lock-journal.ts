// The port of what operators and processes leave beside the lock: when it was closed, what was turned away, and which requests still run.

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
