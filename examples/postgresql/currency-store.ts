// The currencies in PostgreSQL, each record as JSON: `SELECT record ->> 'rate' FROM fanlight_currency WHERE code = 'CHF'`.

import type pg from 'pg'
import { checkCurrencies, type Currency, type CurrencyStore } from '../../src/currency.ts'

/** One statement is one transaction: all records or none. In the order of the codes, two writers do not wait for each other forever. */
const upsertRecords = `
  INSERT INTO fanlight_currency (code, record)
  SELECT record ->> 'code', record FROM json_array_elements($1) AS record ORDER BY 1
  ON CONFLICT (code) DO UPDATE SET record = excluded.record`

export class PostgresCurrencyStore implements CurrencyStore {
  readonly name = 'postgresql:fanlight_currency'
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async findByCode(code: string): Promise<Currency | undefined> {
    if (!/^[A-Z]{3}$/.test(code)) return undefined
    const { rows } = await this.#pool.query<{ record: Currency }>(
      'SELECT record FROM fanlight_currency WHERE code = $1',
      [code],
    )
    return rows[0]?.record
  }

  async upsert(currencies: readonly Currency[]): Promise<void> {
    checkCurrencies(this.name, currencies)
    // A statement may change a row only once: of two records of one code the last one counts.
    const records = new Map(currencies.map((currency) => [currency.code, currency]))
    await this.#pool.query(upsertRecords, [JSON.stringify([...records.values()])])
  }

  async list(): Promise<readonly Currency[]> {
    const { rows } = await this.#pool.query<{ record: Currency }>('SELECT record FROM fanlight_currency ORDER BY code')
    return rows.map(({ record }) => record)
  }
}
