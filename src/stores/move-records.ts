// Copies the lock and the currencies of one store to another. What was changed later in the other store stays.

import { isDeepStrictEqual } from 'node:util'
import type { CurrencyStore } from '../plugins/currency/currency-store.ts'
import type { Currency } from '../plugins/currency/currency.ts'
import type { LockStore } from '../plugins/maintenance/lock-store.ts'

/** `none`: there was nothing to move. `same`: the other store had it. `newer`: the other store's was changed later, and stays. */
export type MoveResult = 'moved' | 'same' | 'newer' | 'none'

export async function moveLock(from: LockStore, to: LockStore): Promise<MoveResult> {
  const [state, known] = [await from.read(), await to.read()]
  if (Date.parse(state.changedAt) === 0) return 'none'
  if (isDeepStrictEqual(state, known)) return 'same'
  if (Date.parse(known.changedAt) > Date.parse(state.changedAt)) return 'newer'
  await to.write(state)
  return 'moved'
}

/** All records or none, because one of them is the default; with their number. */
export async function moveCurrencies(
  from: CurrencyStore,
  to: CurrencyStore,
): Promise<{ readonly result: MoveResult; readonly count: number }> {
  const [records, known] = [await from.list(), await to.list()]
  const result = ((): MoveResult => {
    if (records.length === 0) return 'none'
    if (isDeepStrictEqual(records, known)) return 'same'
    return lastChange(known) > lastChange(records) ? 'newer' : 'moved'
  })()
  if (result === 'moved') await to.upsert(records)
  return { result, count: records.length }
}

function lastChange(records: readonly Currency[]): number {
  return records.reduce((last, { updated_at }) => Math.max(last, Date.parse(updated_at)), -Infinity)
}
