// The currency record as a plugin: one record of the collection `currencies` is read by its code for every request.

import type { Plugin, Services } from '../../app/plugin.ts'
import { checkOptions, wholeNumberRule } from '../../framework/options/check-options.ts'
import type { Listener } from '../../framework/kernel/listener.ts'
import { setupWarning } from '../../framework/log/lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import type { Collector } from '../../profiler/collector.ts'
import type { Panel } from '../../profiler/web/panel.ts'
import { CachedCurrencyStore } from './cached-currency-store.ts'
import { CurrencyListener } from './currency-listener.ts'
import { currencyReadOf, type CurrencyRead } from './currency-read.ts'
import type { CurrencyStore } from './currency-store.ts'
import { baseCurrencyCode } from './currency.ts'
import { badge, emptyState, formatDuration, keyValueTable, type Tone } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'

/** What `currency()` takes. */
export interface CurrencyOptions {
  /** Where currencies are kept. Default: the store of `APP_STORE`, filled with sample rates while it has no record. */
  readonly store?: CurrencyStore
  /** How long a page waits for the record, in milliseconds (SPEC 7.4). Default: 50. */
  readonly budgetMs?: number
}

/** How soon a store that could not be reached is tried again, in milliseconds. */
const fillAgainMs = 1000

/** Reads the active currency of each request (SPEC 7). */
export class CurrencyPlugin implements Plugin {
  readonly name = 'currency'
  readonly collectors: readonly Collector[] = [collector]
  readonly panels: readonly Panel[] = [currencyPanel]
  readonly #options: CurrencyOptions
  readonly #budgetMs: number
  #store: CurrencyStore | undefined
  #fillTimer: NodeJS.Timeout | undefined
  #listener: CurrencyListener | undefined

  constructor(options: CurrencyOptions) {
    checkOptions<CurrencyOptions>('currency()', options, {
      store: { allowed: 'a CurrencyStore', fits: (value) => typeof value === 'object' && value !== null },
      budgetMs: wholeNumberRule,
    })
    this.#options = options
    this.#budgetMs = options.budgetMs ?? 50
  }

  async start({ settings, redactor, log, openStore }: Services): Promise<void> {
    this.#store = this.#options.store
    if (this.#store === undefined) {
      const { currencies } = (await openStore()).engine
      // A store that knows its records at once needs no memory of them before it.
      this.#store = currencies.knownByCode === undefined ? new CachedCurrencyStore(currencies) : currencies
      await this.#fill(currencies, log)
    }
    const { currency: defaultCode } = settings
    this.#listener = new CurrencyListener({ store: this.#store, defaultCode, budgetMs: this.#budgetMs, redactor })
  }

  stop(): void {
    clearTimeout(this.#fillTimer)
  }

  /** A store that cannot be reached is filled when it is back, and logs the outage itself. */
  async #fill(currencies: CurrencyStore, log: Log): Promise<void> {
    try {
      await fill(currencies)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_STORE_UNAVAILABLE') {
        this.#fillTimer = setTimeout(() => void this.#fill(currencies, log), fillAgainMs).unref()
        return
      }
      const reason = error instanceof Error ? error.message : String(error)
      log.write(setupWarning({ warning: `The sample rates could not be filled in: ${reason}` }))
    }
  }

  get listeners(): readonly Listener[] {
    return this.#listener === undefined ? [] : [this.#listener]
  }

  /** Where currencies are kept. Throws before the application has started. */
  get store(): CurrencyStore {
    if (this.#store === undefined) throw new Error('The currency store is known once the application has started')
    return this.#store
  }
}

/** The plugin that reads the currency of each request. */
export function currency(options: CurrencyOptions = {}): CurrencyPlugin {
  return new CurrencyPlugin(options)
}

const collector: Collector<CurrencyRead> = {
  name: 'currency',
  collect: ({ recording }) => currencyReadOf(recording),
}

/** The sample rates are loaded on the first start only. */
async function fill(currencies: CurrencyStore): Promise<void> {
  if ((await currencies.findByCode(baseCurrencyCode)) !== undefined || (await currencies.list()).length > 0) return
  const { seedCurrencies } = await import('./seed-currencies.ts')
  await seedCurrencies(currencies)
}

const outcomeTones: Readonly<Record<CurrencyRead['outcome'], Tone>> = {
  hit: 'success',
  miss: 'warning',
  timeout: 'error',
  error: 'error',
}

/** Store, collection, filter, outcome, time, record. */
const currencyPanel: Panel<CurrencyRead> = {
  name: 'currency',
  title: 'Currency',
  of: 'requests',
  badge: (read) =>
    read.outcome === 'hit'
      ? undefined
      : { count: 1, tone: read.outcome === 'miss' ? 'warning' : 'error', hint: `the read: ${read.outcome}` },
  toolbar: ({ filter, outcome }) => ({
    text: `${filter.code} ${outcome}`,
    tone: outcome === 'hit' ? 'neutral' : outcome === 'miss' ? 'warning' : 'error',
  }),
  render: (read) => {
    if (read === undefined) return emptyState('This request read no currency record.')
    return html`${keyValueTable(
        [
          ['Outcome', badge(read.outcome, outcomeTones[read.outcome])],
          ['Store', read.store],
          ['Collection', read.collection],
          ['Filter', JSON.stringify(read.filter)],
          ['Code from', read.source],
          ['Duration', formatDuration(read.durationMs)],
          ['Read from', read.cached ? 'the cache' : 'the store'],
          ...(read.error === null ? [] : [['Failure', read.error] as const]),
        ],
        { caption: 'Read' },
      )}
      <h3>Record</h3>
      ${
        read.currency === null
          ? emptyState('There is no record with this code; the page was served without one.')
          : keyValueTable(
              Object.entries(read.currency).map(([name, value]) => [name, String(value)] as const),
              { caption: 'Record' },
            )
      }`
  },
}
