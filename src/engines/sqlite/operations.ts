// The operations of the protocol, run on the tables: JSON in, JSON out. Runs in the worker thread.

import type { Currency } from '../../currency/currency.ts'
import type { LockState } from '../../maintenance/lock-store.ts'
import type { ProfileFilter } from '../../profiler/profile-store.ts'
import type { CurrencyTable } from './currency-table.ts'
import type { LockTable } from './lock-table.ts'
import { toRow } from './profile-columns.ts'
import type { ProfileTable } from './profile-table.ts'
import type { Operation } from './protocol.ts'

/** The tables of an open file. */
export interface Tables {
  readonly profiles: ProfileTable
  readonly currencies: CurrencyTable
  readonly lock: LockTable
}

/** Runs an operation; `null` when nothing is there or nothing is to be said. */
export type Run = (tables: Tables) => string | null

/** Does once what needs no file, decoding and compressing, so that the rest can be tried as often as it takes. */
export function prepareOperation(operation: Operation, texts: readonly string[]): Run {
  const text = texts[0] ?? ''
  switch (operation) {
    case 'open':
      return () => null
    case 'write': {
      const rows = texts.map(toRow)
      return ({ profiles }) => {
        profiles.write(rows)
        return null
      }
    }
    case 'read':
      return ({ profiles }) => profiles.read(text) ?? null
    case 'find': {
      const [filter, page] = decodeFind(text)
      return ({ profiles }) => JSON.stringify(profiles.find(filter, page))
    }
    case 'purge':
      return ({ profiles }) => String(profiles.purge(text === '' ? undefined : Number(text)))
    case 'stats':
      return ({ profiles }) => JSON.stringify(profiles.stats())
    case 'currency':
      return ({ currencies }) => JSON.stringify(currencies.findByCode(text) ?? null)
    case 'currencies':
      return ({ currencies }) => JSON.stringify(currencies.list())
    case 'upsert': {
      const records = decodeCurrencies(text)
      return ({ currencies }) => {
        currencies.upsert(records)
        return null
      }
    }
    case 'lock':
      return ({ lock }) => JSON.stringify(lock.read())
    case 'set-lock': {
      const state = decodeLock(text)
      return ({ lock }) => {
        lock.write(state)
        return null
      }
    }
  }
}

// The stores of the main thread made these texts and checked what went into them.

function decodeFind(json: string): [ProfileFilter, { readonly after?: string; readonly limit?: number }] {
  return JSON.parse(json) as [ProfileFilter, { readonly after?: string; readonly limit?: number }]
}

function decodeCurrencies(json: string): readonly Currency[] {
  return JSON.parse(json) as readonly Currency[]
}

function decodeLock(json: string): LockState {
  return JSON.parse(json) as LockState
}
