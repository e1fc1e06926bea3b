// The port behind which the application lock of a fleet is kept: one integer, and who set it why.

/** Seconds for `Retry-After` when nobody named any. */
export const defaultRetryAfterSeconds = 120

/** The shared part of the application lock. */
export interface LockState {
  /** Bitmask; bit 1 (value 1) is maintenance. A safe integer. */
  readonly value: number
  /** Why it was set, for the operator; empty when nobody said. Never shown to clients. */
  readonly reason: string
  /** Seconds for `Retry-After`. */
  readonly retryAfterSeconds: number
  /** When it was set, ISO 8601 in UTC. */
  readonly changedAt: string
}

/** Keeps the lock for every process that shares the store. */
export interface LockStore {
  readonly name: string
  /** The stored state; `value` 0 when nobody ever set one. */
  read(): Promise<LockState>
  write(state: LockState): Promise<void>
  /** Calls back within a second after another process (or this one) changed the state. Returns what stops it. Never throws. */
  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void
}
