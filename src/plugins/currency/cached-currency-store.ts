// A currency store that remembers what it has read for at most a second, so that a page whose record is known waits for
// nothing. Writes of other processes show within that second, writes through this store at once.

import { performance } from 'node:perf_hooks'
import type { Currency } from './currency.ts'
import type { CurrencyStore, KnownRecord } from './currency-store.ts'

/** How long records are remembered. */
interface CachedCurrencyStoreOptions {
  /** Milliseconds after which a record is never used again, counted from before it was asked for. Default 1000. */
  readonly maxAgeMs?: number
  /** Codes remembered at most, those that are missing among them; the oldest go first. Default 200. */
  readonly maxCodes?: number
  /** Monotonic clock, milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

interface Entry extends KnownRecord {
  readonly askedMs: number
  isRefreshing: boolean
}

/** Decorates a store. A record that is in use is read again in the background at half its age. */
export class CachedCurrencyStore implements CurrencyStore {
  readonly #store: CurrencyStore
  readonly #maxAgeMs: number
  readonly #maxCodes: number
  readonly #now: () => number
  #entries = new Map<string, Entry>()

  constructor(store: CurrencyStore, options: CachedCurrencyStoreOptions = {}) {
    this.#store = store
    this.#maxAgeMs = options.maxAgeMs ?? 1000
    this.#maxCodes = options.maxCodes ?? 200
    this.#now = options.now ?? (() => performance.now())
  }

  get name(): string {
    return this.#store.name
  }

  knownByCode(code: string): KnownRecord | undefined {
    const entry = this.#entries.get(code)
    if (entry === undefined) return undefined
    const ageMs = this.#now() - entry.askedMs
    if (ageMs >= this.#maxAgeMs) return undefined
    if (ageMs >= this.#maxAgeMs / 2 && !entry.isRefreshing) {
      entry.isRefreshing = true
      // A store that fails now is asked again by the page that finds nothing known, and fails there in the open.
      this.findByCode(code).catch(() => undefined)
    }
    return entry
  }

  async findByCode(code: string): Promise<Currency | undefined> {
    const askedMs = this.#now()
    const entries = this.#entries
    const currency = Object.freeze(await this.#store.findByCode(code))
    // A write that came in between has replaced the map: what was read may be older.
    if (entries === this.#entries) this.#keep(code, { currency, askedMs, isRefreshing: false })
    return currency
  }

  async upsert(currencies: readonly Currency[]): Promise<void> {
    try {
      await this.#store.upsert(currencies)
    } finally {
      this.#entries = new Map()
    }
  }

  list(): Promise<readonly Currency[]> {
    return this.#store.list()
  }

  #keep(code: string, entry: Entry): void {
    this.#entries.delete(code)
    this.#entries.set(code, entry)
    if (this.#entries.size <= this.#maxCodes) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
