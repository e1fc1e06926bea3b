// Counts the profiles of a run, and compares it with the one before, route by route.

import type { GroupBy, ProfileGroups, ProfileStore, GroupSample, ProfileGroup } from '../../profiles/profile-store.ts'
import { inOrder, type GroupOrder } from '../questions/groups.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import { runTypeOf } from '../../observe/profile.ts'
import { readPart } from '../../profiles/stored-data.ts'
import { hasName } from '../../base/members.ts'

/** Which profiles a run is made of: begin (inclusive) and end (exclusive) in milliseconds since 1970, and `APP_VERSION`. What is not named is open. */
export type RunScope = Pick<ProfileFilter, 'since' | 'until' | 'version'>

export interface RunsRequest {
  /** Its times and version are those of the run. */
  readonly filter: ProfileFilter
  readonly by: GroupBy
  /** Nothing of it: the run before is found. */
  readonly base: RunScope
  /** Whether it is compared with the run before, where one is known: by route only. */
  readonly isCompared: boolean
  /** Default: of a comparison what got worse, else the most frequent. */
  readonly sort: GroupOrder | undefined
}

/** One side, and what it was made from. */
export interface CountedRun extends RunScope, Pick<ProfileGroups, 'count' | 'isCut' | 'omitted'> {}

/** A run, and the one before it. Plain JSON. */
export interface ReadRuns {
  readonly run: CountedRun
  /** `null`: nothing is compared. */
  readonly base: CountedRun | null
  /** Why nothing is compared, though it was to be; else `null`. */
  readonly nothing: string | null
  readonly groups: readonly ComparedGroup[]
}

/** Rejects when the store fails. */
export async function readRuns(
  profiles: Reads,
  { filter, by, base, isCompared, sort }: RunsRequest,
): Promise<ReadRuns> {
  const { since: _since, until: _until, version: _version, ...others } = filter
  const asked = scopeOf(filter)
  const found = isCompared ? await findRuns(profiles, asked, base) : null
  if (found === null || typeof found === 'string') {
    const counted = await profiles.group(filter, by)
    const alone = { change: null, verdicts: [], isFew: false, base: null }
    const groups = counted.groups.map((run) => ({ key: run.key, run, ...alone }))
    return {
      run: { ...asked, ...sideOf(counted) },
      base: null,
      nothing: found,
      groups: inOrder(groups, sort ?? 'count', ({ run }) => run),
    }
  }
  const read = (scope: RunScope): Promise<ProfileGroups> =>
    profiles.group({ ...others, ...scope }, 'route', { isForComparison: true })
  const [ofRun, ofBase] = await Promise.all([read(found.run), read(found.base)])
  const groups = compareRuns(ofRun, ofBase)
  const sorted = sort === undefined ? groups : inOrder(groups, sort, ({ run, base: before }) => run ?? before)
  const [run, before] = [
    { ...found.run, ...sideOf(ofRun) },
    { ...found.base, ...sideOf(ofBase) },
  ]
  return { run, base: before, nothing: null, groups: sorted }
}

type Reads = Pick<ProfileStore, 'find' | 'read' | 'group'>

/** Whether a profile can belong to both. */
export function doOverlap(one: RunScope, other: RunScope): boolean {
  if (one.version !== undefined && other.version !== undefined && one.version !== other.version) return false
  const begin = Math.max(one.since ?? -Infinity, other.since ?? -Infinity)
  return begin < Math.min(one.until ?? Infinity, other.until ?? Infinity)
}

function sideOf({ count, isCut, omitted }: ProfileGroups): Omit<CountedRun, keyof RunScope> {
  return { count, isCut, omitted }
}

/** Profiles that are looked at for a start: the newest may be of commands. */
const looked = 10

interface Pair {
  readonly run: RunScope
  readonly base: RunScope
}

/**
 * Fills in what is not named. Nothing: the newest start of the application against the one before it. A version: against the
 * one before it, by its newest profile; the first of all against the newest other. A time: against all that was before it.
 * Only a base that is a version: the newest other version against it. A sentence if there is nothing to compare.
 */
async function findRuns(profiles: Reads, run: RunScope, base: RunScope): Promise<Pair | string> {
  const [hasRun, hasBase] = [isNamed(run), isNamed(base)]
  if (!hasRun && !hasBase) return newestStarts(profiles)
  if (hasRun && hasBase) return { run, base }
  const { since, version } = run
  if (!hasBase && version === undefined) {
    if (since === undefined) return 'Before: unknown. Give a start time for After, or times or a version for Before.'
    return { run, base: { until: since } }
  }
  if (hasBase && base.version === undefined) return { run, base }
  const versions = await recentVersions(profiles)
  const named = version ?? base.version ?? ''
  const newest = versions.find((one) => one !== named)
  const other = hasRun ? (versions[versions.indexOf(named) + 1] ?? newest) : newest
  if (other === undefined) return 'All recent profiles are of this version.'
  if (hasBase) return { run: { version: other }, base }
  return { run, base: { ...(since !== undefined && { until: since }), version: other } }
}

/** Versions of the newest 10,000 profiles, the one that was seen last first. */
async function recentVersions(profiles: Pick<ProfileStore, 'group'>): Promise<readonly string[]> {
  const { groups } = await profiles.group({}, 'version')
  return groups.toSorted((one, other) => other.lastTime - one.lastTime).flatMap(({ key }) => key ?? [])
}

function isNamed(scope: RunScope): boolean {
  return Object.keys(scope).length > 0
}

/** Its parts that are named. */
export function scopeOf({ since, until, version }: Nullable<RunScope>): RunScope {
  return { ...(since != null && { since }), ...(until != null && { until }), ...(version != null && { version }) }
}

type Nullable<Of> = { readonly [Name in keyof Of]: Of[Name] | null | undefined }

async function newestStarts(profiles: Reads): Promise<Pair | string> {
  const newest = await newestStart(profiles)
  const before = newest === undefined ? undefined : await newestStart(profiles, newest)
  if (newest !== undefined && before !== undefined) {
    return { run: { since: newest }, base: { since: before, until: newest } }
  }
  return 'Nothing to compare yet: no earlier start of the application is known. Name the times or versions of two runs.'
}

/** When the process of the newest request before an instant began, in milliseconds since 1970: asks as many as it takes to find one that knows. */
async function newestStart(profiles: Pick<ProfileStore, 'find' | 'read'>, until?: number): Promise<number | undefined> {
  const { items } = await profiles.find(until === undefined ? {} : { until }, { limit: looked })
  for (const { token, method, time } of items) {
    const profile = runTypeOf(method) === undefined ? await profiles.read(token) : undefined
    const start = profile === undefined ? undefined : startOf(readPart(profile, 'config'))
    if (start !== undefined && start <= time) return start
  }
  return undefined
}

function startOf(config: ReturnType<typeof readPart<'config'>>): number | undefined {
  if (config.state !== 'there') return undefined
  const { startedAt } = config.data
  return typeof startedAt === 'number' && Number.isFinite(startedAt) ? startedAt : undefined
}

/** What can be said of a route of the newer run against the older one: the bad news of each figure, and the good one. */
const verdicts = {
  p50: ['slower', 'faster'],
  p95: ['slower p95', 'faster p95'],
  'own-code': ['more own code', 'less own code'],
  queries: ['more queries', 'fewer queries'],
  errors: ['more errors', 'fewer errors'],
} as const

type JudgedFigure = keyof typeof verdicts
export type Verdict = (typeof verdicts)[JudgedFigure][number]

/** Where a route belongs: `worse` where one verdict is bad, whatever the others are; `few` where they may all be chance. */
export type RouteChange = 'worse' | 'better' | 'few' | 'only-run' | 'only-base' | 'same'

/** All of them, in the order in which they are shown. */
export const routeChanges: readonly RouteChange[] = ['worse', 'better', 'only-run', 'only-base', 'same', 'few']

export interface ComparedGroup {
  /** Name of the route (`null`: none matched, or a command), or version (`null`: none was named). */
  readonly key: string | null
  /** `null`: nothing is compared. */
  readonly change: RouteChange | null
  readonly verdicts: readonly Verdict[]
  /** Whether one side has so few profiles that its numbers may be chance. */
  readonly isFew: boolean
  /** `null` if the side has no profile of it. */
  readonly run: ProfileGroup | null
  readonly base: ProfileGroup | null
}

/** With fewer profiles on a side, the numbers may be chance. */
const fewInRun = 5
/** Rank tests give less than this by chance in 999 of 1,000 cases. A few values cannot reach it: they must all be greater, or all be less. */
const chance = 3.29
/** With fewer, the 95th percentile is one profile. */
const fewForTail = 20
/** Times that differ by less are taken for the same: parts of the older one, and milliseconds. */
const sameTime = { share: 0.1, ms: 0.5 } as const
const sameTail = { share: 0.25, ms: 1 } as const
/** Queries on average. */
const sameQueries = 0.5
/** Errors, in parts of all. */
const sameErrorRate = 0.01

/**
 * Every route of both: what got worse first, by the milliseconds that its requests lost; then what got better and what may be
 * chance; what is the same last. The groups must have samples. A figure has changed where it differs by more than is negligible
 * and a rank test of the samples says that it is not chance.
 */
export function compareRuns(run: ProfileGroups, base: ProfileGroups): readonly ComparedGroup[] {
  const ofRun = byRoute(run)
  const ofBase = byRoute(base)
  const routes = new Set([...ofRun.keys(), ...ofBase.keys()])
  const differences = [...routes].map((route) => difference(route, ofRun.get(route) ?? null, ofBase.get(route) ?? null))
  return differences.sort(
    (one, other) =>
      routeChanges.indexOf(one.change ?? 'same') - routeChanges.indexOf(other.change ?? 'same') ||
      weightOf(other) - weightOf(one) ||
      countOf(other) - countOf(one),
  )
}

/** Milliseconds that all requests of the newer run lost at the median, less than 0 where they won; 0 if a side has none. */
function lostMs({ run, base }: Pick<ComparedGroup, 'run' | 'base'>): number {
  return run === null || base === null ? 0 : (run.p50Ms - base.p50Ms) * run.count
}

function byRoute({ groups }: ProfileGroups): ReadonlyMap<string | null, ProfileGroup> {
  return new Map(groups.map((group) => [group.key, group]))
}

function difference(key: string | null, run: ProfileGroup | null, base: ProfileGroup | null): ComparedGroup {
  if (run === null || base === null) {
    const change = run === null ? 'only-base' : 'only-run'
    const isFew = ((run ?? base)?.count ?? 0) < fewInRun
    return { key, change, verdicts: [], isFew, run: withoutSamples(run), base: withoutSamples(base) }
  }
  const isFew = Math.min(run.count, base.count) < fewInRun
  const said = verdictsOf(run, base, isFew)
  const change = changeOf(said, isFew)
  return { key, change, verdicts: said, isFew, run: withoutSamples(run), base: withoutSamples(base) }
}

function withoutSamples(group: ProfileGroup | null): ProfileGroup | null {
  if (group === null) return null
  const { samples: _, ...figures } = group
  return figures
}

function changeOf(said: readonly Verdict[], isFew: boolean): RouteChange {
  if (said.length === 0) return 'same'
  if (isFew) return 'few'
  return said.some(isWorse) ? 'worse' : 'better'
}

/** Whether a verdict is bad news. */
export function isWorse(verdict: Verdict): boolean {
  return Object.values(verdicts).some(([bad]) => bad === verdict)
}

/** Of a figure that is judged: the verdict that is about it. */
export function verdictOn(figure: string, { verdicts: said }: Pick<ComparedGroup, 'verdicts'>): Verdict | undefined {
  const pair: readonly Verdict[] = hasName(verdicts, figure) ? verdicts[figure] : []
  return pair.find((one) => said.includes(one))
}

function verdictsOf(run: ProfileGroup, base: ProfileGroup, isFew: boolean): readonly Verdict[] {
  const said: Verdict[] = []
  const judge = (figure: JudgedFigure, sign: number, read: (sample: GroupSample) => number | null): void => {
    if (sign !== 0 && (isFew || isNoChance(sign, valuesOf(run, read), valuesOf(base, read)))) {
      said.push(verdicts[figure][sign > 0 ? 0 : 1])
    }
  }
  judge('p50', timeSign(run.p50Ms, base.p50Ms, sameTime), ({ durationMs }) => durationMs)
  if (Math.min(...[run, base].map(({ samples }) => samples?.length ?? 0)) >= fewForTail) {
    const tail = Math.min(run.p95Ms, base.p95Ms)
    const isInTail = ({ durationMs }: GroupSample): number => Number(durationMs > tail)
    judge('p95', timeSign(run.p95Ms, base.p95Ms, sameTail), isInTail)
  }
  if (run.ownCpuP50Ms !== null && base.ownCpuP50Ms !== null) {
    const sign = timeSign(run.ownCpuP50Ms, base.ownCpuP50Ms, sameTime)
    judge('own-code', sign, ({ ownCpuMs }) => ownCpuMs)
  }
  if (run.meanQueries !== null && base.meanQueries !== null) {
    const sign = signBeyond(run.meanQueries - base.meanQueries, sameQueries)
    judge('queries', sign, ({ queryCount }) => queryCount)
  }
  const errorRate = run.errorCount / run.count - base.errorCount / base.count
  judge('errors', signBeyond(errorRate, sameErrorRate), ({ isError }) => Number(isError))
  return said
}

function valuesOf({ samples = [] }: ProfileGroup, read: (sample: GroupSample) => number | null): readonly number[] {
  return samples.flatMap((one) => read(one) ?? [])
}

function isNoChance(sign: number, run: readonly number[], base: readonly number[]): boolean {
  if (sign * rankDeviation(run, base) >= chance) return true
  const [greater, less] = sign > 0 ? [run, base] : [base, run]
  return Math.min(...greater) > Math.max(...less)
}

/**
 * The Mann-Whitney test: how far the ranks of `one` among all values are from what chance gives, in standard deviations. Greater
 * than 0 if its values are greater. Equal values share their rank.
 */
export function rankDeviation(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: 1 })), ...other.map((value) => ({ value, own: 0 }))].sort(
    (a, b) => a.value - b.value,
  )
  const total = all.length
  let ranks = 0
  let ties = 0
  for (let from = 0; from < total;) {
    let to = from
    let own = 0
    for (; all[to]?.value === all[from]?.value && to < total; to++) own += all[to]?.own ?? 0
    ranks += (own * (from + 1 + to)) / 2
    ties += (to - from) ** 3 - (to - from)
    from = to
  }
  const expected = (one.length * (total + 1)) / 2
  const variance = ((one.length * other.length) / 12) * (total + 1 - ties / (total * (total - 1)))
  return variance > 0 ? (ranks - expected) / Math.sqrt(variance) : 0
}

function timeSign(run: number, base: number, same: { readonly share: number; readonly ms: number }): number {
  return signBeyond(run - base, Math.max(same.ms, base * same.share))
}

function signBeyond(delta: number, negligible: number): number {
  return Math.abs(delta) < negligible ? 0 : Math.sign(delta)
}

/** Orders the routes of one change. */
function weightOf(one: ComparedGroup): number {
  if (one.change === 'worse') return lostMs(one)
  return one.change === 'better' ? -lostMs(one) : 0
}

function countOf({ run, base }: ComparedGroup): number {
  return (run?.count ?? 0) + (base?.count ?? 0)
}
