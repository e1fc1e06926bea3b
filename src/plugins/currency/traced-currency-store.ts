// A currency store that shows each of its calls as a span of the request that makes it. Outside a recorded request it
// only passes calls on.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { RunningSpan } from '../../framework/timing/span.ts'
import { currencyCollection, type Currency } from './currency.ts'
import type { CurrencyStore } from './currency-store.ts'

/** Decorates a store with observation; `new TracedCurrencyStore(engine.currencies)`. */
export class TracedCurrencyStore implements CurrencyStore {
  readonly #store: CurrencyStore

  constructor(store: CurrencyStore) {
    this.#store = store
  }

  get name(): string {
    return this.#store.name
  }

  findByCode(code: string): Promise<Currency | undefined> {
    return this.#observe('findByCode', (span) => {
      span?.setAttribute('db.query.parameter.code', code)
      return this.#store.findByCode(code)
    })
  }

  upsert(currencies: readonly Currency[]): Promise<void> {
    return this.#observe('upsert', (span) => {
      span?.setAttribute('db.operation.batch.size', currencies.length)
      return this.#store.upsert(currencies)
    })
  }

  list(): Promise<readonly Currency[]> {
    return this.#observe('list', () => this.#store.list())
  }

  async #observe<T>(operation: string, call: (span: RunningSpan | undefined) => Promise<T>): Promise<T> {
    const span = currentExchange()?.recording?.startSpan({
      name: `${currencyCollection} ${operation}`,
      kind: 'client',
      category: 'store',
      attributes: {
        'db.system.name': systemName(this.#store.name),
        'db.collection.name': currencyCollection,
        'db.operation.name': operation,
      },
    })
    try {
      const result = await call(span)
      span?.end()
      return result
    } catch (error) {
      span?.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER')
      span?.end('error')
      throw error
    }
  }
}

/** Name of the database system in the words of the OpenTelemetry semantic conventions: what stands before the colon. */
function systemName(storeName: string): string {
  const scheme = storeName.slice(0, Math.max(0, storeName.indexOf(':')))
  return scheme === '' ? 'other_sql' : scheme
}
