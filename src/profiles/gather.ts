// What is put together from the data of many profiles, where they are kept. Stores read the profiles; a gatherer says which, and what
// of them: lines of the log, and queries, those of one shape to one database as one.

import { type Profile, type ProfileSummary, runTypeOf } from '../observe/profile.ts'
import { isOfLevel, lineHas } from '../observe/collectors/logger.ts'
import { fillPlaceholders } from '../base/log/logger.ts'
import { dataOf, type StoredParts } from './stored-data.ts'
import { namesOf } from '../base/members.ts'

/** For one gathering; profiles come newest first. */
interface Gatherer<Found extends object> {
  wants(summary: ProfileSummary): boolean
  add(profile: Profile): void
  /** Whether nothing more is needed. Default: it never is. */
  isFull?(): boolean
  /** Plain JSON. */
  found(): Found
}

export interface GatheredFrom {
  readonly profileCount: number
  /** Whether there are older ones that were not read, or may be. */
  readonly isCut: boolean
  /** Parts of the store that did not respond. Default: all responded. */
  readonly missing?: { readonly parts: number; readonly of: number }
}

/** Profiles that are read for one gathering, at most, and bytes of their JSON: half a second, about. */
const maxGathered = 2000
const maxGatheredBytes = 48 * 1024 * 1024

export class Gathering<Found extends object> {
  readonly #gatherer: Gatherer<Found>
  #profileCount = 0
  #bytes = 0
  #isCut = false

  constructor(gatherer: Gatherer<Found>) {
    this.#gatherer = gatherer
  }

  wants(summary: ProfileSummary): boolean {
    if (this.#isCut || !this.#gatherer.wants(summary)) return false
    this.#isCut =
      this.#profileCount >= maxGathered || this.#bytes >= maxGatheredBytes || this.#gatherer.isFull?.() === true
    return !this.#isCut
  }

  /** `bytes`: of its JSON, about. */
  add(profile: Profile, bytes: number): void {
    this.#profileCount += 1
    this.#bytes += bytes
    this.#gatherer.add(profile)
  }

  /** `isCut`: older profiles were not offered. */
  found(isCut: boolean): Found & GatheredFrom {
    return { ...this.#gatherer.found(), profileCount: this.#profileCount, isCut: this.#isCut || isCut }
  }
}

interface LinesAsked {
  /** A level, or `problems` for warnings and errors; empty for all. */
  readonly level: string
  /** Text in level, channel, message or context; letter case is ignored. Default: any. */
  readonly words?: string | undefined
  readonly most: number
}

interface FoundLine extends Pick<ProfileSummary, 'token' | 'method' | 'url'> {
  /** Place among the lines of its profile, from 0. */
  readonly index: number
  /** Milliseconds since 1970. */
  readonly time: number
  readonly level: string
  readonly channel: string
  /** With its values, at most 500 characters. */
  readonly message: string
}

interface FoundLines {
  readonly lines: readonly FoundLine[]
  /** Older lines of the profiles that were read. */
  readonly omitted: number
}

const maxMessage = 500

class LinesGatherer implements Gatherer<FoundLines> {
  readonly #asked: LinesAsked
  readonly #lines: FoundLine[] = []

  constructor(asked: LinesAsked) {
    this.#asked = asked
  }

  wants({ logCount }: ProfileSummary): boolean {
    return logCount > 0
  }

  isFull(): boolean {
    return this.#lines.length >= this.#asked.most
  }

  add(profile: Profile): void {
    const { token, method, url, time } = profile
    const { level: wanted, words = '' } = this.#asked
    for (const [index, line] of (dataOf(profile, 'logger')?.records ?? []).entries()) {
      if (!isOfLevel(line, wanted) || !lineHas(line, words)) continue
      const { level, channel, timeMs } = line
      const message = fillPlaceholders(line).slice(0, maxMessage)
      this.#lines.push({ token, method, url, index, time: time + timeMs, level, channel, message })
    }
  }

  found(): FoundLines {
    const newestFirst = this.#lines.sort((one, other) => other.time - one.time || other.index - one.index)
    const lines = newestFirst.slice(0, this.#asked.most)
    return { lines, omitted: newestFirst.length - lines.length }
  }
}

interface QueriesAsked {
  readonly order: QueryOrder
  /** Part of the text, of a place, or of the name of a route or run; letter case is ignored. Default: every query. */
  readonly words?: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface QueryRun {
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

interface FoundQueries {
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

class QueriesGatherer implements Gatherer<FoundQueries> {
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

export type GatheringAsked = ({ readonly of: 'lines' } & LinesAsked) | ({ readonly of: 'queries' } & QueriesAsked)
export type GatheringFound<Asked extends GatheringAsked> = Asked extends { readonly of: 'lines' }
  ? FoundLines
  : FoundQueries

export function gathererOf<Asked extends GatheringAsked>(asked: Asked): Gatherer<GatheringFound<Asked>> {
  const wanted: GatheringAsked = asked
  const gatherer = wanted.of === 'lines' ? new LinesGatherer(wanted) : new QueriesGatherer(wanted)
  // `of` says what is found.
  return gatherer as Gatherer<object> as Gatherer<GatheringFound<Asked>>
}
