// Where the shop keeps currencies: what its pages ask, and the collection of the application's store that answers.

import type { Collection, CollectionContent } from '../../src/index.ts'
import { currencyCodePattern, currencyProblem, type Currency } from './currency.ts'

/** What a store knows at once: the record, or that there is none. */
export interface KnownRecord {
  readonly currency: Currency | undefined
  /** Why nobody knows whether it is still right. Default: it is. */
  readonly problem?: unknown
}

/** Currencies by code, in the order of the codes. */
export type Currencies = ReadonlyMap<string, Currency>

/** Keeps the collection `currencies`. Codes that are not `[A-Z]{3}` are never looked up: they are simply not there. */
export interface CurrencyStore {
  /** For people and for the trace of a read: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  /** The record whose `code` equals the given one, or `undefined`. */
  findByCode(code: string): Promise<Currency | undefined>
  /** What `findByCode` would give, where that is known at once; `undefined` if it must be asked. Optional: never throws. */
  knownByCode?(code: string): KnownRecord | undefined
  /** All records, by code. */
  list(): Promise<readonly Currency[]>
  /**
   * Writes what `edit` makes of the records, all of it or nothing, and gives it. Another process that writes meanwhile loses nothing:
   * then `edit` is asked again. What it throws is thrown on, and nothing was written.
   */
  update(edit: (currencies: Currencies) => readonly Currency[]): Promise<readonly Currency[]>
}

/** How often an update is tried while others write. */
const maxTries = 20

/** Follows the collection, so that a page whose record is known waits for nothing; what other processes write is known within a second. */
export class CollectedCurrencies implements CurrencyStore {
  readonly #collection: Collection
  #known: ReadonlyMap<string, unknown> | undefined
  #problem: unknown
  #stop: (() => void) | undefined

  constructor(collection: Collection) {
    this.#collection = collection
  }

  get name(): string {
    return this.#collection.store
  }

  /** Follows from now on; a collection that is empty when it is first read is filled. Ends after that, or if it cannot be read yet. */
  async follow(fill: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const take = ({ records }: CollectionContent): void => {
      const isFirst = this.#known === undefined
      this.#known = records
      this.#problem = undefined
      if (isFirst) (records.size === 0 ? fill() : Promise.resolve()).then(resolve, reject)
    }
    this.#stop = this.#collection.watch(take, (error) => {
      this.#problem = error
      resolve()
    })
    await promise
  }

  stop(): void {
    this.#stop?.()
  }

  knownByCode(code: string): KnownRecord | undefined {
    if (this.#known === undefined) return undefined
    return { currency: this.#known.get(code) as Currency | undefined, problem: this.#problem }
  }

  async findByCode(code: string): Promise<Currency | undefined> {
    if (!currencyCodePattern.test(code)) return undefined
    // While it cannot be read no page waits for it.
    if (this.#problem !== undefined) throw this.#problem
    return (await this.#collection.read(code)) as Currency | undefined
  }

  async list(): Promise<readonly Currency[]> {
    const { records } = await this.#collection.readAll()
    return [...records.values()] as Currency[]
  }

  async update(edit: (currencies: Currencies) => readonly Currency[]): Promise<readonly Currency[]> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { version, records } = await this.#collection.readAll()
      const changed = edit(records as Currencies)
      checkCurrencies(this.name, changed)
      const written = Object.fromEntries(changed.map((currency) => [currency.code, currency]))
      if (await this.#collection.write(written, { ifVersion: version })) return changed
    }
    throw new Error(`Others wrote the currencies of ${this.name} ${maxTries} times meanwhile; nothing was changed`)
  }
}

/** Throws a TypeError that names the first record that is malformed (SPEC 7.2). */
function checkCurrencies(store: string, currencies: readonly Currency[]): void {
  for (const [index, currency] of currencies.entries()) {
    const problem = currencyProblem(currency)
    if (problem === undefined) continue
    throw new TypeError(`Currency ${index + 1} of ${currencies.length} for ${store} cannot be kept: ${problem}`)
  }
}
