// What a profile says about queries.

import type { Redactor } from '../../base/redact/redactor.ts'
import type { RecordedQueries, RecordedQuery, BuiltInCollector } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'
import type { WorkRepeat } from '../../http/recording/recording.ts'

/** A query in a profile. Times are milliseconds since the request started. */
export interface DatabaseQuery extends Pick<RecordedQuery, 'startMs' | 'durationMs' | 'rows' | 'error' | 'callSite'> {
  /** Index of its group. */
  readonly group: number
}

/** Queries of one shape. */
export interface QueryGroup extends Pick<RecordedQuery, 'system' | 'library' | 'namespace'> {
  /** Text without values. If the texts differ (keys of a cache), what they share. */
  readonly text: string
  /** Those that were not kept included. */
  readonly count: number
  /** Sum of the durations of kept ones. */
  readonly totalMs: number
}

/** The id of its card on the panel. */
export function queryAnchor(group: number): string {
  return `query-${group + 1}`
}

/** The queries of one request, as its profile holds them. */
export interface DatabaseData {
  /** In starting order. */
  readonly queries: readonly DatabaseQuery[]
  readonly groups: readonly QueryGroup[]
  /** Repeated queries that deserve a look, most frequent first. */
  readonly findings: readonly Repeat[]
  /** Queries that were not kept: too many, or too large for the profile. */
  readonly dropped: number
  readonly durationMs: number
}

/** Makes plain, masked data. */
export function databaseData(
  { queries, dropped, droppedLike, durationMs }: RecordedQueries,
  redactor: Pick<Redactor, 'text'>,
): DatabaseData {
  const groups = Map.groupBy(queries, groupKey)
  const indexes = new Map([...groups.keys()].map((key, index) => [key, index]))
  const unkept = [...groups.keys()].map((key) => droppedLike[key] ?? 0)
  const shown = [...groups.values()].map((members, index) => toGroup(members, unkept[index] ?? 0, redactor))
  const data = queries.map((query) => ({
    group: indexes.get(groupKey(query)) ?? 0,
    startMs: query.startMs,
    durationMs: query.durationMs,
    rows: query.rows,
    error: query.error === null ? null : redactor.text(query.error, 1000),
    callSite: query.callSite,
  }))
  const compared = data.map((query, index) => ({
    ...query,
    key: queries[index]?.key ?? null,
    loop: queries[index]?.loop ?? null,
    field: queries[index]?.field ?? null,
  }))
  const mayRepeat = (group: number): boolean =>
    shown[group]?.system === 'redis' || !controlsSession(shown[group]?.text ?? '')
  return { queries: data, groups: shown, findings: findRepeats(compared, mayRepeat, unkept), dropped, durationMs }
}

/** Equal for queries of one shape to one database. */
export function groupKey({
  system,
  library,
  namespace,
  shape,
}: Pick<RecordedQuery, 'system' | 'library' | 'namespace' | 'shape'>): string {
  return [system, library, namespace ?? '', shape].join('\0')
}

function toGroup(members: readonly RecordedQuery[], unkept: number, redactor: Pick<Redactor, 'text'>): QueryGroup {
  const [first] = members
  const { system = '', library = '', namespace = null, text = '', shape = '' } = first ?? {}
  const isOneText = members.every((member) => member.text === text)
  const totalMs = members.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  return {
    system,
    library,
    namespace,
    text: redactor.text(isOneText ? text : shape),
    count: members.length + unkept,
    totalMs,
  }
}

/** Nothing if no query was sent. */
export function databaseCollector(redactor: Redactor): BuiltInCollector<DatabaseData> {
  return {
    name: 'database',
    collect: ({ parts }) => parts.queries && databaseData(parts.queries, redactor),
    summarize: ({ queries, dropped }) => ({ queryCount: queries.length + dropped }),
    // Groups and findings say more than single queries: they are cut last.
    cut: (data, maxBytes) => {
      const groups = cutList(data.groups, maxBytes / 2)
      const used = Buffer.byteLength(JSON.stringify(groups)) + Buffer.byteLength(JSON.stringify(data.findings))
      const known = data.queries.filter(({ group }) => group < groups.length)
      const queries = cutList(known, maxBytes - used, ({ error }) => error !== null)
      return {
        ...data,
        groups,
        queries,
        findings: data.findings.filter(({ group }) => group < groups.length),
        dropped: data.dropped + data.queries.length - queries.length,
      }
    },
  }
}

export interface Repeat extends Pick<WorkRepeat, 'count' | 'totalMs' | 'callSite'> {
  /** `duplicate`: same query, same values. `n+1`: same shape, other values, three or more from one line of code or one resolver. */
  readonly kind: 'duplicate' | 'n+1'
  /** Index of the group of queries. */
  readonly group: number
  /** The GraphQL field whose resolver sent all of them: `Order.customer`. Absent if there is none, or several. */
  readonly field?: string
}

export interface ComparedQuery extends Pick<DatabaseQuery, 'group' | 'durationMs' | 'callSite'> {
  /** Equal for equal values; `null` equals nothing. */
  readonly key: string | null
  /** The line in a loop that led to it. Default: none. */
  readonly loop?: string | null
  /** The GraphQL field whose resolver sent it. Default: none. */
  readonly field?: string | null
}

/** Different values from one line that make it an N+1. */
const manyValues = 3

/** Finds repeats, most frequent first, in the groups that `mayRepeat` does not exclude. `unkept` counts further queries of each group. */
export function findRepeats(
  queries: readonly ComparedQuery[],
  mayRepeat: (group: number) => boolean,
  unkept: readonly number[] = [],
): readonly Repeat[] {
  const repeats: Repeat[] = []
  for (const [group, members] of Map.groupBy(queries, (query) => query.group)) {
    if (members.length < 2 || !mayRepeat(group)) continue
    for (const [key, same] of Map.groupBy(members, (query) => query.key)) {
      if (key !== null && same.length > 1) repeats.push(repeat('duplicate', group, same))
    }
    const sites = Map.groupBy(members, (query) => siteOf(query) ?? query.field ?? null)
    // Where all kept ones are from one line, so are the others.
    const more = sites.size === 1 ? (unkept[group] ?? 0) : 0
    for (const [site, fromThere] of sites) {
      if (site !== null && countValues(fromThere) >= manyValues) repeats.push(repeat('n+1', group, fromThere, more))
    }
  }
  return repeats.toSorted((one, other) => other.count - one.count)
}

/** Whether a query only controls a transaction or a session: it may run as often as it likes. */
export function controlsSession(text: string): boolean {
  return /^(?:BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|SET|PRAGMA)\b/i.test(text)
}

function repeat(kind: Repeat['kind'], group: number, members: readonly ComparedQuery[], more = 0): Repeat {
  const sites = new Set(members.map(siteOf))
  const [field = null, ...others] = new Set(members.map((query) => query.field ?? null))
  return {
    kind,
    group,
    count: members.length + more,
    totalMs: members.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    callSite: sites.size === 1 ? ([...sites][0] ?? null) : null,
    ...(field === null || others.length > 0 ? {} : { field }),
  }
}

function siteOf({ loop = null, callSite }: ComparedQuery): string | null {
  return loop ?? callSite
}

/** Values that cannot be compared count as different. */
function countValues(members: readonly ComparedQuery[]): number {
  const known = members.map(({ key }) => key).filter((key) => key !== null)
  return new Set(known).size + members.length - known.length
}
