// What an engine gives: the three stores of one place, opened and closed together.

import type { CurrencyStore } from '../plugins/currency/currency-store.ts'
import type { LockStore } from '../plugins/maintenance/lock-store.ts'
import type { ProfileStore } from '../profiler/profile-store.ts'

/** The stores of one place. */
export interface Engine {
  /** For people: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  readonly profiles: ProfileStore
  readonly currencies: CurrencyStore
  readonly lock: LockStore
  /** Finishes what was accepted and lets go of the place: later calls may reject (`ERR_STORE_CLOSED`). A second close does nothing. */
  close(): Promise<void>
}
