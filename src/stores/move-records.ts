// Copies the lock, its history and the currencies of one store to another. What was changed later in the other store stays.

import { isDeepStrictEqual } from 'node:util'
import type { CurrencyStore } from '../plugins/currency/currency-store.ts'
import type { Currency } from '../plugins/currency/currency.ts'
import { keepPeriods } from '../plugins/maintenance/keep-history.ts'
import type { LockPeriod } from '../plugins/maintenance/lock-journal.ts'
import type { LockStore } from '../plugins/maintenance/lock-store.ts'

/** `none`: there was nothing to move. `same`: the other store had it. `newer`: the other store's was changed later, and stays. */
export type MoveResult = 'moved' | 'same' | 'newer' | 'none'

/** The state with its plans, and the history: with the number of periods that were added or have changed. */
export async function moveLock(
  from: LockStore,
  to: LockStore,
): Promise<{ readonly result: MoveResult; readonly periods: number }> {
  const [state, known] = [await from.read(), await to.read()]
  const result = ((): MoveResult => {
    if (Date.parse(state.changedAt) === 0) return 'none'
    if (isDeepStrictEqual(state, known)) return 'same'
    return Date.parse(known.changedAt) > Date.parse(state.changedAt) ? 'newer' : 'moved'
  })()
  // Before the lock: processes count under its period as soon as they see it.
  const periods = await moveHistory(from, to, result !== 'newer')
  if (result === 'moved') {
    await to.write(state)
    await keepPeriods(to, { before: known, after: state, now: (await to.journal?.now()) ?? Date.now() })
  }
  return { result, periods }
}

/** A period that lasts goes with the lock only: nothing would end it in the other store. */
async function moveHistory(from: LockStore, to: LockStore, withLock: boolean): Promise<number> {
  if (from.journal === undefined || to.journal === undefined) return 0
  const [source, target] = [await from.journal.read(), await to.journal.read()]
  const isNews = ({ id, to: end }: LockPeriod): boolean => {
    const known = target.periods.find((period) => period.id === id)
    return end === null ? withLock && known === undefined : known === undefined || known.to === null
  }
  const news = source.periods.filter(isNews)
  for (const period of news) await to.journal.keep(period)
  const missing = Object.entries(source.turnedAway).flatMap(([id, count]) => {
    const more = count - (target.turnedAway[id] ?? 0)
    return more > 0 ? [[id, more] as const] : []
  })
  if (missing.length > 0) await to.journal.count(Object.fromEntries(missing))
  return news.length
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
