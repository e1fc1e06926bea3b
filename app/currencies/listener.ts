// Reads the record of the active currency while a page is served: exactly one, by its code, within a time budget. What
// goes wrong is noted and logged; the page is served anyway (SPEC 7.3, 7.4).

import type { Exchange, HttpRequest, Listener, Services } from '../../src/index.ts'
import { withinBudget } from '../within-budget.ts'
import { currencyCodePattern, currencyCollection, currencyProblem, type Currency } from './currency.ts'
import { activeCurrency, type CodeSource, type CurrencyOutcome, type CurrencyRead } from './read.ts'
import type { CurrencyStore, KnownRecord } from './store.ts'

interface CurrencyListenerOptions {
  readonly store: CurrencyStore
  /** Three upper-case letters. */
  readonly defaultCode: string
  /** Milliseconds a page waits for the record at most. Default 50. */
  readonly budgetMs?: number
  /** Masks what a failing store says before it is kept. */
  readonly redactor: Services['redactor']
  /** Monotonic clock, milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

/** Milliseconds between two log lines about a failing store, for requests that are not recorded. */
const quietMs = 60_000

/** Puts the active currency on the exchange (`activeCurrency`) and its read on the recording (`currency`). */
export class CurrencyListener implements Listener {
  readonly name = 'currency'
  readonly #store: CurrencyStore
  readonly #defaultCode: string
  readonly #budgetMs: number
  readonly #redactor: Services['redactor']
  readonly #now: () => number
  #lastLoggedMs = -Infinity
  #unreported = 0

  constructor({ store, defaultCode, budgetMs = 50, redactor, now = () => performance.now() }: CurrencyListenerOptions) {
    this.#store = store
    this.#defaultCode = defaultCode
    this.#budgetMs = budgetMs
    this.#redactor = redactor
    this.#now = now
  }

  /** Done at once if the store knows the record, else when it has responded or its budget is over. */
  onRequest(exchange: Exchange): Promise<void> | undefined {
    const chosen = chooseCode(exchange.request, this.#defaultCode)
    const startMs = this.#now()
    const known = this.#knownByCode(chosen.code)
    if (known === undefined) {
      return this.#find(chosen.code, exchange.recording).then((found) =>
        this.#finish(exchange, chosen, found, { startMs, cached: false }),
      )
    }
    const found = judge(known.currency, chosen.code)
    const error = found.error ?? (known.problem === undefined ? null : this.#textOf(describeFailure(known.problem)))
    this.#finish(exchange, chosen, { ...found, error }, { startMs, cached: true })
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

  async #find(code: string, recording: Exchange['recording']): Promise<Found> {
    const span = recording?.startSpan({
      name: `${currencyCollection} findByCode`,
      kind: 'client',
      category: 'store',
      attributes: {
        'db.system.name': systemName(this.#store.name),
        'db.collection.name': currencyCollection,
        'db.operation.name': 'findByCode',
        'db.query.parameter.code': code,
      },
    })
    try {
      // A later record is dropped.
      const { name } = this.#store
      const asked = this.#store.findByCode(code)
      const record = await withinBudget(asked, this.#budgetMs, () => new CurrencyTimeoutError(name, this.#budgetMs))
      span?.end()
      return judge(record, code)
    } catch (thrown) {
      const failure = describeFailure(thrown)
      span?.setAttribute('error.type', failure.errorClass)
      span?.end('error')
      const outcome = thrown instanceof CurrencyTimeoutError ? 'timeout' : 'error'
      return { outcome, currency: undefined, error: this.#textOf(failure) }
    }
  }

  #textOf({ errorClass, message }: Failure): string {
    return this.#redactor.text(`${errorClass}: ${message}`, 300)
  }

  #finish(
    exchange: Exchange,
    { code, source, ignored }: ChosenCode,
    { outcome, currency, error }: Found,
    { startMs, cached }: { readonly startMs: number; readonly cached: boolean },
  ): void {
    exchange.set(activeCurrency, { code, currency })
    const { recording } = exchange
    const read: CurrencyRead = {
      store: this.#store.name,
      collection: currencyCollection,
      filter: { code },
      source,
      outcome,
      durationMs: this.#now() - startMs,
      cached,
      error,
      currency: currency ?? null,
    }
    recording?.keep('currency', read)
    for (const sentence of ignored) recording?.note('currency', sentence)
    if (error !== null) this.#log(exchange, code, error)
  }

  #log(exchange: Exchange, code: string, problem: string): void {
    // A recorded request shows its own failure; without recording one line a minute tells enough.
    const nowMs = this.#now()
    if (exchange.recording === undefined && nowMs - this.#lastLoggedMs < quietMs) {
      this.#unreported += 1
      return
    }
    exchange.log.withChannel('currency').warn('Currency {code} could not be read from {store}: {problem}.', {
      store: this.#store.name,
      code,
      problem: problem.replace(/\.$/, ''),
      unreported: this.#unreported,
    })
    this.#lastLoggedMs = nowMs
    this.#unreported = 0
  }
}

class CurrencyTimeoutError extends Error {
  override readonly name = 'CurrencyTimeoutError'

  constructor(store: string, budgetMs: number) {
    super(`${store} did not respond within ${budgetMs} ms`)
  }
}

interface Failure {
  readonly errorClass: string
  readonly message: string
}

/** Class and message of whatever was thrown; never throws. */
function describeFailure(thrown: unknown): Failure {
  try {
    if (thrown instanceof Error) return { errorClass: String(thrown.name), message: String(thrown.message) }
    return { errorClass: typeof thrown, message: String(thrown) }
  } catch {
    return { errorClass: 'unknown', message: '(cannot be read)' }
  }
}

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

/** Name of the database system in the OpenTelemetry semantic conventions: the part before the colon. */
function systemName(storeName: string): string {
  const scheme = storeName.slice(0, Math.max(0, storeName.indexOf(':')))
  return scheme === '' ? 'other_sql' : scheme.replace('rediss', 'redis')
}

/** Name of the query parameter and of the cookie. */
const currencyParameter = 'currency'

/** The code of a request, who named it, and what was ignored on the way. */
interface ChosenCode {
  readonly code: string
  readonly source: CodeSource
  /** One sentence for each invalid code; it never repeats what was sent. */
  readonly ignored: readonly string[]
}

/** The code named by `?currency=`, else by the cookie `currency`, else the default. The first of several counts. */
function chooseCode(context: HttpRequest, defaultCode: string): ChosenCode {
  const ignored: string[] = []
  const fromQuery = queryCode(context.rawQuery)
  if (fromQuery !== undefined) {
    if (currencyCodePattern.test(fromQuery)) return { code: fromQuery, source: 'query', ignored }
    ignored.push(describeIgnored('query', fromQuery))
  }
  // Most requests have no such cookie: they pay for one search, not for a parse.
  if (context.header('cookie')?.includes(currencyParameter) === true) {
    const fromCookie = context.cookies.get(currencyParameter)
    if (fromCookie !== undefined) {
      if (currencyCodePattern.test(fromCookie)) return { code: fromCookie, source: 'cookie', ignored }
      ignored.push(describeIgnored('cookie', fromCookie))
    }
  }
  return { code: defaultCode, source: 'default', ignored }
}

function queryCode(query: string): string | undefined {
  // Most requests name no currency: they pay for one search, not for a parse. The name may be percent-encoded.
  if (!query.includes(currencyParameter) && !query.includes('%')) return undefined
  return new URLSearchParams(query).get(currencyParameter) ?? undefined
}

function describeIgnored(place: 'query' | 'cookie', value: string): string {
  return `The currency named by the ${place} was ignored: ${value.length} characters that are not three letters A to Z.`
}
