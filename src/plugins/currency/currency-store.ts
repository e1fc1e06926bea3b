// The port behind which currencies are kept.

import type { Currency } from './currency.ts'

/** What a store knows at once: the record, or that there is none. The same object until something changes. */
export interface KnownRecord {
  readonly currency: Currency | undefined
}

/** Keeps the collection `currencies`. Codes that are not `[A-Z]{3}` are never looked up: they are simply not there. */
export interface CurrencyStore {
  /** For people and for the trace of a read: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  /** The record whose `code` equals the given one, or `undefined`. */
  findByCode(code: string): Promise<Currency | undefined>
  /** What `findByCode` would give, where that is known at once; `undefined` if it must be asked. Optional: never throws. */
  knownByCode?(code: string): KnownRecord | undefined
  /** Writes all of them or none (one transaction); a record with a known code replaces it. */
  upsert(currencies: readonly Currency[]): Promise<void>
  /** All records, by code. */
  list(): Promise<readonly Currency[]>
}
