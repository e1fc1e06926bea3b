// Reads the record of the active currency while a page is served: exactly one, by its code, within a time budget. What
// goes wrong is noted and logged; the page is served all the same (SPEC 7.3, 7.4).

import { performance } from 'node:perf_hooks'
import { runInExchange } from '../../framework/kernel/current-exchange.ts'
import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Listener } from '../../framework/kernel/listener.ts'
import { currencyReadFailed } from '../../framework/log/lines.ts'
import { Redactor } from '../../framework/redact/redactor.ts'
import { chooseCode, type ChosenCode } from './active-code.ts'
import { BudgetedCurrencyStore, CurrencyTimeoutError } from './budgeted-currency-store.ts'
import { currencyProblem } from './currency-problem.ts'
import { activeCurrency, type ActiveCurrency, type CurrencyOutcome, type KeptCurrencyRead } from './currency-read.ts'
import type { CurrencyStore, KnownRecord } from './currency-store.ts'
import { currencyCodePattern, currencyCollection, type Currency } from './currency.ts'
import { TracedCurrencyStore } from './traced-currency-store.ts'

/** What a currency listener is made of. */
export interface CurrencyListenerOptions {
  /** The engine's store as it is; the listener adds the span and the budget. */
  readonly store: CurrencyStore
  /** `APP_CURRENCY`. */
  readonly defaultCode: string
  /** Milliseconds a page waits for the record at most. Default 50. */
  readonly budgetMs?: number
  /** Masks what a failing store says before it is kept. Default: the built-in rules. */
  readonly redactor?: Redactor
  /** Monotonic clock, milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

/** Milliseconds between two log lines about a failing store, for requests that are not recorded. */
const quietMs = 60_000

/** Puts the active currency on the exchange (`activeCurrency`) and its read on the recording (`currency`). */
export class CurrencyListener implements Listener {
  readonly name = 'currency'
  readonly #store: CurrencyStore
  readonly #tracedStore: CurrencyStore
  readonly #defaultCode: string
  readonly #redactor: Redactor
  readonly #now: () => number
  /** What known records mean to a page, judged once. */
  readonly #judged = new WeakMap<KnownRecord, Found & { readonly active: ActiveCurrency }>()
  #lastCommon: ReadInCommon | undefined
  #lastLoggedMs = -Infinity
  #unreported = 0

  /** Throws a RangeError for a default code that is not `[A-Z]{3}`. */
  constructor(options: CurrencyListenerOptions) {
    if (!currencyCodePattern.test(options.defaultCode)) {
      throw new RangeError(`The default currency is "${options.defaultCode}"; three upper-case letters are allowed`)
    }
    this.#store = new BudgetedCurrencyStore(options.store, options.budgetMs ?? 50)
    this.#tracedStore = new TracedCurrencyStore(this.#store)
    this.#defaultCode = options.defaultCode
    this.#redactor = options.redactor ?? new Redactor()
    this.#now = options.now ?? (() => performance.now())
  }

  /** Done at once where the store knows the record, else when it has answered or its budget is over. */
  onRequest(exchange: Exchange): Promise<void> | undefined {
    const chosen = chooseCode(exchange.request, this.#defaultCode)
    const isRecorded = exchange.recording !== undefined
    const startMs = isRecorded ? this.#now() : 0
    const known = this.#knownByCode(chosen.code)
    if (known === undefined) return this.#read(exchange, chosen)
    const found = this.#judged.get(known) ?? this.#judgeKnown(known, chosen.code)
    exchange.set(activeCurrency, found.active)
    if (isRecorded) this.#keep(exchange, chosen, found, { durationMs: this.#now() - startMs, cached: true })
    if (found.error !== null) this.#log(exchange, chosen.code, found.error)
    return undefined
  }

  #knownByCode(code: string): KnownRecord | undefined {
    try {
      return this.#store.knownByCode?.(code)
    } catch {
      // A store that cannot say what it knows is asked in full, and fails there in the open.
      return undefined
    }
  }

  #judgeKnown(known: KnownRecord, code: string): Found & { readonly active: ActiveCurrency } {
    const found = judge(known.currency, code)
    const judged = { ...found, active: { code, currency: found.currency } }
    this.#judged.set(known, judged)
    return judged
  }

  async #read(exchange: Exchange, chosen: ChosenCode): Promise<void> {
    const isRecorded = exchange.recording !== undefined
    const startMs = isRecorded ? this.#now() : 0
    const found = await (isRecorded
      ? runInExchange(exchange, () => this.#find(this.#tracedStore, chosen.code))
      : this.#find(this.#store, chosen.code))
    exchange.set(activeCurrency, { code: chosen.code, currency: found.currency })
    if (isRecorded) this.#keep(exchange, chosen, found, { durationMs: this.#now() - startMs, cached: false })
    if (found.error !== null) this.#log(exchange, chosen.code, found.error)
  }

  async #find(store: CurrencyStore, code: string): Promise<Found> {
    try {
      return judge(await store.findByCode(code), code)
    } catch (thrown) {
      const outcome = thrown instanceof CurrencyTimeoutError ? 'timeout' : 'error'
      return { outcome, currency: undefined, error: this.#redactor.text(describe(thrown), 300) }
    }
  }

  #keep(
    exchange: Exchange,
    chosen: ChosenCode,
    found: Found,
    { durationMs, cached }: { readonly durationMs: number; readonly cached: boolean },
  ): void {
    const kept: KeptCurrencyRead = { figures: [durationMs], more: this.#commonOf(chosen, found, cached) }
    exchange.recording?.keep('currency', kept)
    for (const sentence of chosen.ignored) exchange.recording?.note('currency', sentence)
  }

  /** What was read, the same object as for the request before where nothing differs. */
  #commonOf({ code, source }: ChosenCode, { outcome, currency, error }: Found, cached: boolean): ReadInCommon {
    const last = this.#lastCommon
    if (
      last !== undefined &&
      last.currency === (currency ?? null) &&
      last.filter.code === code &&
      last.source === source &&
      last.cached === cached &&
      last.outcome === outcome &&
      last.error === error
    ) {
      return last
    }
    const store = this.#store.name
    const filter = { code }
    const common: ReadInCommon = {
      store,
      collection: currencyCollection,
      filter,
      source,
      outcome,
      cached,
      error,
      currency: currency ?? null,
    }
    this.#lastCommon = common
    return common
  }

  #log(exchange: Exchange, code: string, problem: string): void {
    // A recorded request shows its own failure; without recording one line a minute tells enough.
    const nowMs = this.#now()
    if (exchange.recording === undefined && nowMs - this.#lastLoggedMs < quietMs) {
      this.#unreported += 1
      return
    }
    exchange.log.write(currencyReadFailed({ store: this.#store.name, code, problem, unreported: this.#unreported }))
    this.#lastLoggedMs = nowMs
    this.#unreported = 0
  }
}

type ReadInCommon = KeptCurrencyRead['more']

interface Found {
  readonly outcome: CurrencyOutcome
  readonly currency: Currency | undefined
  readonly error: string | null
}

function judge(record: unknown, code: string): Found {
  if (record === undefined) return { outcome: 'miss', currency: undefined, error: null }
  const problem = currencyProblem(record)
  if (problem !== undefined) return { outcome: 'error', currency: undefined, error: problem }
  const currency = record as Currency
  if (currency.code === code) return { outcome: 'hit', currency, error: null }
  return { outcome: 'error', currency: undefined, error: 'the store gave the record of another code' }
}

function describe(thrown: unknown): string {
  const { errorClass, message } = describeFailure(thrown)
  return `${errorClass}: ${message}`
}
