// What an engine gives: the stores of one place, opened and closed together.

import type { LockStore } from '../profiles/lock/lock-store.ts'
import type { ErrorMarkStore } from '../profiles/known-errors/error-marks.ts'
import type { PauseStore } from '../profiles/recording-pause.ts'
import type { ProfileStore } from '../profiles/profile-store.ts'
import type { Collection } from './collections.ts'

/** The stores behind one address. */
export interface Engine {
  /** For people: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  readonly profiles: ProfileStore
  readonly lock: LockStore
  /** Whether recording is paused for all processes. */
  readonly pause: PauseStore
  /** What people say of errors. */
  readonly errorMarks: ErrorMarkStore
  /** Records of the application, by name: `shipping`. Throws an `EngineError` for a name that cannot be used. */
  readonly collection: (name: string) => Collection
  /** Finishes open calls and closes the place. Later calls may reject (`ERR_STORE_CLOSED`); a second close does nothing. */
  close(): Promise<void>
}
