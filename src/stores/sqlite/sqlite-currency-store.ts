// The currencies of a SQLite file.

import type { CurrencyStore } from '../../plugins/currency/currency-store.ts'
import { currencyCodePattern } from '../../plugins/currency/currency.ts'
import type { Currency } from '../../plugins/currency/currency.ts'
import { checkCurrencies } from '../check-currency.ts'
import type { DirectClient } from './direct-client.ts'

/** Asks the file for every read: nothing is cached, so that a change shows at once in every process. */
export class SqliteCurrencyStore implements CurrencyStore {
  readonly name: string
  readonly #client: DirectClient

  constructor(name: string, client: DirectClient) {
    this.name = name
    this.#client = client
  }

  async findByCode(code: string): Promise<Currency | undefined> {
    if (!currencyCodePattern.test(code)) return undefined
    return decodeCurrency(await this.#client.call('currency', [code])) ?? undefined
  }

  async upsert(currencies: readonly Currency[]): Promise<void> {
    checkCurrencies(this.name, currencies)
    await this.#client.call('upsert', [JSON.stringify(currencies)])
  }

  async list(): Promise<readonly Currency[]> {
    return decodeList(await this.#client.call('currencies'))
  }
}

// The worker builds these from columns whose types the database enforces.
function decodeCurrency(json: string | null): Currency | null {
  return JSON.parse(json ?? 'null') as Currency | null
}

function decodeList(json: string | null): readonly Currency[] {
  return JSON.parse(json ?? '[]') as readonly Currency[]
}
