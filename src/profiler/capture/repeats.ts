// Finds statements that are sent again and again: the very same one, or one of the same shape for each item of a list.

import { assumedAt, isAssumed, placeOf } from './assumed-site.ts'
import type { StatementData } from './statement.ts'

/** Repeated statements that deserve a look. */
export interface Repeat {
  /**
   * `duplicate`: the same statement with the same values. `n+1`: the same shape with other values, three times or more from
   * one place of the code.
   */
  readonly kind: 'duplicate' | 'n+1'
  /** Index of the group of statements. */
  readonly group: number
  /** How many statements it is about. */
  readonly count: number
  /** Sum of their times in milliseconds. */
  readonly totalMs: number
  /** Where they come from, `src/prices.ts:12`, with ` (assumed)` where that is so of one; `null` where unknown or from several places. */
  readonly callSite: string | null
}

/** A statement that can be compared. */
export interface KeyedStatement extends Pick<StatementData, 'group' | 'durationMs' | 'callSite'> {
  /** Equal for equal values; `null` is equal to nothing. */
  readonly key: string | null
}

/** How many different values from one place make it an N+1. */
const manyValues = 3

/** The repeats, the most frequent first. Groups that `isSteering` names are left out. */
export function findRepeats(
  statements: readonly KeyedStatement[],
  isSteering: (group: number) => boolean,
): readonly Repeat[] {
  const repeats: Repeat[] = []
  for (const [group, members] of groupBy(statements, ({ group: index }) => index)) {
    if (members.length < 2 || isSteering(group)) continue
    for (const same of groupBy(members, ({ key }) => key).entries()) {
      if (same[0] !== null && same[1].length > 1) repeats.push(repeat('duplicate', group, same[1]))
    }
    for (const [site, fromThere] of groupBy(members, placeOfStatement)) {
      if (site !== null && countValues(fromThere) >= manyValues) repeats.push(repeat('n+1', group, fromThere))
    }
  }
  return repeats.toSorted((one, other) => other.count - one.count)
}

/** Whether a statement only steers a transaction or a session: it may come as often as it likes. */
export function steers(text: string): boolean {
  return /^(?:BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|SET|PRAGMA)\b/i.test(text)
}

function repeat(kind: Repeat['kind'], group: number, members: readonly KeyedStatement[]): Repeat {
  const places = new Set(members.map(placeOfStatement))
  const place = places.size === 1 ? (members[0]?.callSite ?? null) : null
  return {
    kind,
    group,
    count: members.length,
    totalMs: members.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    callSite: place !== null && members.some(isAssumedThere) ? assumedAt(place) : place,
  }
}

function placeOfStatement({ callSite }: KeyedStatement): string | null {
  return callSite === null ? null : placeOf(callSite)
}

function isAssumedThere({ callSite }: KeyedStatement): boolean {
  return callSite !== null && isAssumed(callSite)
}

/** What cannot be told is taken for another value each time. */
function countValues(members: readonly KeyedStatement[]): number {
  const known = members.map(({ key }) => key).filter((key) => key !== null)
  return new Set(known).size + members.length - known.length
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
