// The operations of the protocol, run on the tables: JSON in, JSON out.

import type { Currency } from '../../plugins/currency/currency.ts'
import type { LockState } from '../../plugins/maintenance/lock-store.ts'
import type { GroupBy, PageRequest, ProfileFilter, ReopenedStore } from '../../profiler/profile-store.ts'
import type { CurrencyTable } from './currency-table.ts'
import type { LockTable } from './lock-table.ts'
import { toRow, type EncodedProfile } from './profile-columns.ts'
import type { ProfileTable } from './profile-table.ts'
import type { Operation } from './protocol.ts'

/** The tables of an open file. */
export interface Tables {
  readonly profiles: ProfileTable
  readonly currencies: CurrencyTable
  readonly lock: LockTable
  /** When and why they took the place of others; `null` where they did not. */
  readonly reopened: ReopenedStore | null
}

/** Runs an operation; `null` when nothing is there or nothing is to be said. */
export type Run = (tables: Tables) => string | null

/** Does once what needs no file, decoding and compressing, so that the rest can be tried as often as it takes. */
export function prepareOperation(operation: Operation, texts: readonly string[]): Run {
  return operations[operation](texts[0] ?? '', texts)
}

/** Like `write`, for profiles that are at hand already. */
export function prepareWrite(encoded: Iterable<EncodedProfile>): Run {
  const rows = Array.from(encoded, toRow)
  return silently(({ profiles }) => profiles.write(rows))
}

/** By operation: makes what runs it out of its texts; the first one alone is all that most have. */
const operations: Readonly<Record<Operation, (text: string, texts: readonly string[]) => Run>> = {
  open: () => () => null,
  write: (_, texts) => prepareWrite(texts.values().map((json) => ({ profile: JSON.parse(json) as unknown, json }))),
  read:
    (token) =>
    ({ profiles }) =>
      profiles.read(token) ?? null,
  find: (text) => {
    const [filter, page] = decodeFind(text)
    return ({ profiles }) => JSON.stringify(profiles.find(filter, page))
  },
  group: (text) => {
    const [filter, by] = decodeGroup(text)
    return ({ profiles }) => JSON.stringify(profiles.group(filter, by))
  },
  purge:
    (before) =>
    ({ profiles }) =>
      String(profiles.purge(before === '' ? undefined : Number(before))),
  stats:
    () =>
    ({ profiles, reopened }) =>
      JSON.stringify({ ...profiles.stats(), reopened }),
  currency:
    (code) =>
    ({ currencies }) =>
      JSON.stringify(currencies.findByCode(code) ?? null),
  currencies:
    () =>
    ({ currencies }) =>
      JSON.stringify(currencies.list()),
  upsert: (text) => {
    const records = decodeCurrencies(text)
    return silently(({ currencies }) => currencies.upsert(records))
  },
  lock:
    () =>
    ({ lock }) =>
      JSON.stringify(lock.read()),
  'set-lock': (text) => {
    const state = decodeLock(text)
    return silently(({ lock }) => lock.write(state))
  },
}

function silently(work: (tables: Tables) => void): Run {
  return (tables) => {
    work(tables)
    return null
  }
}

// The stores of the main thread made these texts and checked what went into them.

function decodeFind(json: string): [ProfileFilter, PageRequest] {
  return JSON.parse(json) as [ProfileFilter, PageRequest]
}

function decodeGroup(json: string): [ProfileFilter, GroupBy] {
  return JSON.parse(json) as [ProfileFilter, GroupBy]
}

function decodeCurrencies(json: string): readonly Currency[] {
  return JSON.parse(json) as readonly Currency[]
}

function decodeLock(json: string): LockState {
  return JSON.parse(json) as LockState
}
