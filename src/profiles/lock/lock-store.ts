// The port of the application lock that all processes of a store share.

import type { LockJournal } from './lock-journal.ts'

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
