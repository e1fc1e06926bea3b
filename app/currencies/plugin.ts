// The shop's own plugin: one record of the collection `currencies` is read by its code for every request (SPEC 7). It is made of what
// every application can use: a listener, a collection of the store, a collector with its panel, and a command.

import { RuntimeContextError, type CommandHandler, type Listener, type Plugin, type Services } from '../../src/index.ts'
import type { Collector, Panel } from '../../src/profiler.ts'
import { currencyCodePattern, currencyCollection } from './currency.ts'
import { CurrencyListener } from './listener.ts'
import { currencyPanel } from './panel.ts'
import { currencyReadOf } from './read.ts'
import { CollectedCurrencies, type CurrencyStore } from './store.ts'

interface CurrencyOptions {
  /** Where currencies are kept. Default: the collection of the application's store, filled with sample rates while it has no record. */
  readonly store?: CurrencyStore
  /** How long a page waits for the record, in milliseconds (SPEC 7.4). Default: 50. */
  readonly budgetMs?: number
  /** The environment that has `APP_CURRENCY`. Default: `process.env`, with what the `.env` files say. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export class CurrencyPlugin implements Plugin {
  readonly name = 'currency'
  readonly collectors: readonly Collector[] = [
    { name: 'currency', collect: ({ recording }) => currencyReadOf(recording) },
  ]
  readonly panels: readonly Panel[] = [currencyPanel]
  readonly commands: Readonly<Record<string, CommandHandler>> = {
    currency: async ({ args }) => {
      const { runCurrencyCommand } = await import('./command.ts')
      return runCurrencyCommand(args, { store: this.store })
    },
  }
  readonly #options: CurrencyOptions
  readonly #defaultCode: string
  #store: CurrencyStore | undefined
  #collected: CollectedCurrencies | undefined
  #listener: CurrencyListener | undefined

  constructor(options: CurrencyOptions) {
    this.#options = options
    this.#defaultCode = defaultCodeOf(options.env ?? process.env)
  }

  async start({ redactor, log, openStore }: Services): Promise<void> {
    this.#store = this.#options.store ?? (await this.#collect(await openStore(), log))
    const { budgetMs = 50 } = this.#options
    this.#listener = new CurrencyListener({ store: this.#store, defaultCode: this.#defaultCode, budgetMs, redactor })
  }

  /** A store that cannot be reached yet is filled when it is there, and says so itself. */
  async #collect({ engine }: Awaited<ReturnType<Services['openStore']>>, log: Services['log']): Promise<CurrencyStore> {
    const collected = new CollectedCurrencies(engine.collection(currencyCollection))
    this.#collected = collected
    await collected.follow(async () => {
      try {
        const { fillWithSamples } = await import('./samples.ts')
        await fillWithSamples(collected)
      } catch (error) {
        log.withChannel('currency').warn('The sample rates could not be filled in: {error}', { error: String(error) })
      }
    })
    return collected
  }

  stop(): void {
    this.#collected?.stop()
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

/** The plugin that reads the currency of each request. Throws for an `APP_CURRENCY` that cannot be used. */
export function currency(options: CurrencyOptions = {}): CurrencyPlugin {
  return new CurrencyPlugin(options)
}

function defaultCodeOf({ APP_CURRENCY: code = 'EUR' }: Readonly<Record<string, string | undefined>>): string {
  if (currencyCodePattern.test(code)) return code
  const shown = JSON.stringify(code.slice(0, 200))
  throw new RuntimeContextError(
    `APP_CURRENCY=${shown} cannot be used: allowed are three upper-case letters such as EUR`,
  )
}
