// The queries of many profiles, those of one shape to one database as one.

import { runTypeOf, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import { dataOf, type StoredParts } from '../stored-data.ts'
import type { Gatherer } from './gatherer.ts'
import { namesOf } from '../../base/members.ts'

export interface QueriesAsked {
  readonly order: QueryOrder
  /** Part of the text, of a place, or of the name of a route or run; letter case is ignored. Default: every query. */
  readonly words?: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface QueryRun {
  /** Of its profile. */
  readonly token: string
  /** When it began, milliseconds since 1970. */
  readonly time: number
  readonly durationMs: number
  /** Index of the query in the profile. */
  readonly group: number
}

interface QueryShape {
  readonly system: string
  readonly library: string
  readonly namespace: string | null
  /** Without values; at most 1,000 characters. */
  readonly text: string
}

/** Queries of one shape to one database. */
export interface QueryTotal extends QueryShape {
  readonly count: number
  /** How many profiles have it, and how many of them sent it again and again from one place (N+1). */
  readonly profileCount: number
  readonly repeatedIn: number
  readonly totalMs: number
  /** By nearest rank. */
  readonly p95Ms: number
  /** `null` where no end of a run is known. */
  readonly slowest: QueryRun | null
  /** Names of routes, commands, jobs and tasks that send it, and places: `src/orders.ts:29`. Those with most runs first, at most 20. */
  readonly sources: readonly string[]
  readonly places: readonly string[]
}

export interface SlowestQuery extends QueryRun, QueryShape {}

export interface FoundQueries {
  /** In the order that was asked for, at most 100. */
  readonly queries: readonly QueryTotal[]
  readonly omitted: number
  /** Runs of all of them. */
  readonly count: number
  readonly totalMs: number
  /** The slowest run of all, and of the last minute; `null` where nothing ran. */
  readonly slowest: SlowestQuery | null
  readonly slowestOfMinute: SlowestQuery | null
}

/** What queries are ordered by, the greatest first. */
export type QueryOrder = 'total' | 'count' | 'slowest' | 'p95' | 'repeated'

const figures: Readonly<Record<QueryOrder, (query: QueryTotal) => number>> = {
  total: ({ totalMs }) => totalMs,
  count: ({ count }) => count,
  slowest: ({ slowest }) => slowest?.durationMs ?? -1,
  p95: ({ p95Ms }) => p95Ms,
  repeated: ({ repeatedIn }) => repeatedIn,
}

/** All of them, in the order of the columns. */
export const queryOrders: readonly QueryOrder[] = namesOf(figures)

const maxQueries = 100
const maxText = 1000
const maxNamed = 20
const minuteMs = 60_000

interface QuerySum {
  readonly shape: QueryShape
  readonly runs: QueryRun[]
  readonly tokens: Set<string>
  readonly repeatedIn: Set<string>
  readonly sources: Map<string, number>
  readonly places: Map<string, number>
  count: number
  totalMs: number
}

export class QueriesGatherer implements Gatherer<FoundQueries> {
  readonly #asked: QueriesAsked
  readonly #sums = new Map<string, QuerySum>()

  constructor(asked: QueriesAsked) {
    this.#asked = asked
  }

  wants({ queryCount }: ProfileSummary): boolean {
    return (queryCount ?? 0) > 0
  }

  add(profile: Profile): void {
    const { token, time, method, route, handler } = profile
    const { queries = [], groups = [], findings = [] } = dataOf(profile, 'database') ?? {}
    const source = route ?? (runTypeOf(method) === undefined ? null : handler)
    const sums = groups.map((group) => {
      const sum = this.#sumOf(group)
      sum.count += group.count
      sum.totalMs += group.totalMs
      sum.tokens.add(token)
      if (source !== null) add(sum.sources, source, group.count)
      return sum
    })
    for (const { kind, group } of findings) if (kind === 'n+1') sums[group]?.repeatedIn.add(token)
    for (const { group, startMs, durationMs, callSite } of queries) {
      const sum = sums[group]
      if (sum !== undefined && callSite !== null) add(sum.places, callSite, 1)
      if (durationMs !== null) sum?.runs.push({ token, time: time + startMs, durationMs, group })
    }
  }

  found(): FoundQueries {
    const { order, words = '', now } = this.#asked
    const wanted = words.toLowerCase()
    const sums = [...this.#sums.values()].filter(({ shape, places, sources }) =>
      [shape.text, ...places.keys(), ...sources.keys()].some((text) => text.toLowerCase().includes(wanted)),
    )
    const totals = sums
      .map(totalOf)
      .sort((one, other) => figures[order](other) - figures[order](one) || other.totalMs - one.totalMs)
    const slowestSince = (since: number): SlowestQuery | null =>
      slowestOf(
        sums.flatMap(({ shape, runs }) => {
          const run = slowestOf(runs.filter(({ time }) => time >= since))
          return run === null ? [] : [{ ...run, ...shape }]
        }),
      )
    return {
      queries: totals.slice(0, maxQueries),
      omitted: Math.max(0, totals.length - maxQueries),
      count: totals.reduce((sum, { count }) => sum + count, 0),
      totalMs: totals.reduce((sum, { totalMs }) => sum + totalMs, 0),
      slowest: slowestSince(-Infinity),
      slowestOfMinute: slowestSince(now - minuteMs),
    }
  }

  #sumOf({ system, library, namespace, text }: StoredParts['database']['groups'][number]): QuerySum {
    const key = [system, library, namespace ?? '', text].join('\0')
    const known = this.#sums.get(key)
    if (known !== undefined) return known
    const shape = { system, library, namespace, text: text.slice(0, maxText) }
    const [tokens, repeatedIn] = [new Set<string>(), new Set<string>()]
    const sum = { shape, runs: [], tokens, repeatedIn, sources: new Map(), places: new Map(), count: 0, totalMs: 0 }
    this.#sums.set(key, sum)
    return sum
  }
}

function totalOf({ shape, runs, tokens, repeatedIn, sources, places, count, totalMs }: QuerySum): QueryTotal {
  const durations = runs.map(({ durationMs }) => durationMs).sort((one, other) => one - other)
  return {
    ...shape,
    count,
    profileCount: tokens.size,
    repeatedIn: repeatedIn.size,
    totalMs,
    p95Ms: durations[Math.max(0, Math.ceil(0.95 * durations.length) - 1)] ?? 0,
    slowest: slowestOf(runs),
    sources: mostFirst(sources),
    places: mostFirst(places),
  }
}

function slowestOf<Run extends QueryRun>(runs: readonly Run[]): Run | null {
  let slowest: Run | null = null
  for (const run of runs) if (run.durationMs > (slowest?.durationMs ?? -1)) slowest = run
  return slowest
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

function mostFirst(counts: ReadonlyMap<string, number>): readonly string[] {
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.slice(0, maxNamed).map(([name]) => name)
}
