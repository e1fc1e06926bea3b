// The port of the application lock that all processes of a store share.

/** Seconds for `Retry-After` if neither the lock nor the application names any. */
export const defaultRetryAfterSeconds = 120

/** The shared part of the application lock. */
export interface LockState {
  /** Bitmask; bit 1 (value 1) is maintenance. A safe integer. */
  readonly value: number
  /** Why it was set, for operators; may be empty. Never shown to clients. */
  readonly reason: string
  /** Seconds for `Retry-After`, 0 to 604,800; `null`: each application uses its own. */
  readonly retryAfterSeconds: number | null
  /** When it was set, ISO 8601 in UTC. */
  readonly changedAt: string
}

/** Keeps the lock that all processes share: `maintenance({ store })`. */
export interface LockStore {
  /** For people: `PostgreSQL`. */
  readonly name: string
  /** The stored state; `value` 0 if it was never set. */
  read(): Promise<LockState>
  /** Replaces the state. Rejects where that cannot be done. */
  write(state: LockState): Promise<void>
  /** Calls back within a second after another process (or this one) changed the state. Returns what stops it. Never throws. */
  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void
}
