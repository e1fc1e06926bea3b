// What a profile says about queries.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { RecordedQueries, RecordedQuery } from './recorded.ts'
import { controlsSession, findRepeats, type Repeat } from './repeats.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'

/** A query in a profile. Times are milliseconds since the request started. */
export interface DatabaseQuery extends Pick<RecordedQuery, 'startMs' | 'durationMs' | 'rows' | 'error' | 'callSite'> {
  /** Index of its group. */
  readonly group: number
}

/** Queries of one shape. */
export interface QueryGroup {
  readonly system: string
  readonly library: string
  /** Name of the database; `null` if unknown. */
  readonly namespace: string | null
  /** Text without values. If the texts differ (keys of a cache), what they share. */
  readonly text: string
  readonly count: number
  /** Sum of their durations. */
  readonly totalMs: number
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
  /** Duration of the request. */
  readonly durationMs: number
}

/** Makes plain, masked data. */
export function databaseData(
  { queries, dropped, durationMs }: RecordedQueries,
  redactor: Pick<Redactor, 'text'>,
): DatabaseData {
  const groups = Map.groupBy(queries, groupKey)
  const indexes = new Map([...groups.keys()].map((key, index) => [key, index]))
  const shown = [...groups.values()].map((members) => toGroup(members, redactor))
  const data = queries.map((query) => ({
    group: indexes.get(groupKey(query)) ?? 0,
    startMs: query.startMs,
    durationMs: query.durationMs,
    rows: query.rows,
    error: query.error === null ? null : redactor.text(query.error, 1000),
    callSite: query.callSite,
  }))
  const compared = data.map((query, index) => ({ ...query, key: queries[index]?.key ?? null }))
  const mayRepeat = (group: number): boolean =>
    shown[group]?.system === 'redis' || !controlsSession(shown[group]?.text ?? '')
  return { queries: data, groups: shown, findings: findRepeats(compared, mayRepeat), dropped, durationMs }
}

function groupKey({ system, library, namespace, shape }: RecordedQuery): string {
  return [system, library, namespace ?? '', shape].join('\0')
}

function toGroup(members: readonly RecordedQuery[], redactor: Pick<Redactor, 'text'>): QueryGroup {
  const [first] = members
  const { system = '', library = '', namespace = null, text = '', shape = '' } = first ?? {}
  const isOneText = members.every((member) => member.text === text)
  const totalMs = members.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  return {
    system,
    library,
    namespace,
    text: redactor.text(isOneText ? text : shape),
    count: members.length,
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
