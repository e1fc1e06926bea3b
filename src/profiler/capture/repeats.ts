// Finds repeated queries: the same one again, or one of the same shape for each item of a list.

/** Repeated queries that deserve a look. */
export interface Repeat {
  /** `duplicate`: same query, same values. `n+1`: same shape, other values, three or more from one line of code. */
  readonly kind: 'duplicate' | 'n+1'
  /** Index of the group of queries. */
  readonly group: number
  /** Number of queries. */
  readonly count: number
  /** Sum of their durations in milliseconds. */
  readonly totalMs: number
  /** The line that sent them, `src/prices.ts:12`; `null` if unknown or several. */
  readonly callSite: string | null
}

/** A query that can be compared. */
export interface ComparedQuery {
  readonly group: number
  readonly durationMs: number | null
  readonly callSite: string | null
  /** Equal for equal values; `null` equals nothing. */
  readonly key: string | null
}

/** Different values from one line that make it an N+1. */
const manyValues = 3

/** Finds repeats, most frequent first, in the groups that `mayRepeat` does not exclude. */
export function findRepeats(
  queries: readonly ComparedQuery[],
  mayRepeat: (group: number) => boolean,
): readonly Repeat[] {
  const repeats: Repeat[] = []
  for (const [group, members] of Map.groupBy(queries, (query) => query.group)) {
    if (members.length < 2 || !mayRepeat(group)) continue
    for (const [key, same] of Map.groupBy(members, (query) => query.key)) {
      if (key !== null && same.length > 1) repeats.push(repeat('duplicate', group, same))
    }
    for (const [site, fromThere] of Map.groupBy(members, (query) => query.callSite)) {
      if (site !== null && countValues(fromThere) >= manyValues) repeats.push(repeat('n+1', group, fromThere))
    }
  }
  return repeats.toSorted((one, other) => other.count - one.count)
}

/** Whether a query only controls a transaction or a session: it may run as often as it likes. */
export function controlsSession(text: string): boolean {
  return /^(?:BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|SET|PRAGMA)\b/i.test(text)
}

function repeat(kind: Repeat['kind'], group: number, members: readonly ComparedQuery[]): Repeat {
  const sites = new Set(members.map(({ callSite }) => callSite))
  return {
    kind,
    group,
    count: members.length,
    totalMs: members.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    callSite: sites.size === 1 ? (members[0]?.callSite ?? null) : null,
  }
}

/** Values that cannot be compared count as different. */
function countValues(members: readonly ComparedQuery[]): number {
  const known = members.map(({ key }) => key).filter((key) => key !== null)
  return new Set(known).size + members.length - known.length
}
