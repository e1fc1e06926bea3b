// The currency table, created when currencies are first used.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Currency } from '../../plugins/currency/currency.ts'
import { inTransaction } from './transaction.ts'

const fields = [
  'code',
  'title',
  'rate',
  'sign',
  'is_active',
  'is_default',
  'created_at',
  'updated_at',
  'rate_at',
] as const

const createTable = `CREATE TABLE IF NOT EXISTS currencies (
  code TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  rate TEXT NOT NULL,
  sign TEXT NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  rate_at TEXT NOT NULL
) STRICT, WITHOUT ROWID`

/** Opens the table, creating it if it is missing. */
export function openCurrencyTable(database: DatabaseSync): CurrencyTable {
  database.exec(createTable)
  return new CurrencyTable(database)
}

export class CurrencyTable {
  readonly #database: DatabaseSync
  readonly #find: StatementSync
  readonly #list: StatementSync
  readonly #replace: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    const names = fields.join(', ')
    this.#find = database.prepare(`SELECT ${names} FROM currencies WHERE code = ?`)
    this.#list = database.prepare(`SELECT ${names} FROM currencies ORDER BY code`)
    this.#replace = database.prepare(
      `INSERT OR REPLACE INTO currencies (${names}) VALUES (${fields.map(() => '?').join(', ')})`,
    )
  }

  findByCode(code: string): Currency | undefined {
    const row = this.#find.get(code)
    return row === undefined ? undefined : toCurrency(row)
  }

  /** Writes all of them or none. */
  upsert(currencies: readonly Currency[]): void {
    inTransaction(this.#database, () => {
      for (const currency of currencies) {
        this.#replace.run(
          ...fields.map((field) => (typeof currency[field] === 'boolean' ? Number(currency[field]) : currency[field])),
        )
      }
    })
  }

  list(): readonly Currency[] {
    return this.#list.all().map(toCurrency)
  }
}

function toCurrency(row: Readonly<Record<string, unknown>>): Currency {
  const { is_active: isActive, is_default: isDefault } = row
  // The table is strict.
  return { ...row, is_active: isActive === 1, is_default: isDefault === 1 } as Currency
}
