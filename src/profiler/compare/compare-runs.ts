// Compares two runs of an application, route by route: what it did in one stretch of time against what it did in another. Takes
// the groups of a store; which profiles they are made of is its caller's.

import type { GroupSample, ProfileGroup, ProfileGroups } from '../profile-store.ts'

/** What can be said of a route of the newer run against the older one. */
export type Verdict =
  | 'slower'
  | 'faster'
  | 'slower-tail'
  | 'faster-tail'
  | 'more-own-code'
  | 'less-own-code'
  | 'more-queries'
  | 'fewer-queries'
  | 'more-errors'
  | 'fewer-errors'

/** Where a route belongs: `worse` where one verdict is bad, whatever the others are; `few` where they may all be chance. */
export type RouteChange = 'worse' | 'better' | 'few' | 'only-run' | 'only-base' | 'same'

/** All of them, in the order in which they are shown. */
export const routeChanges: readonly RouteChange[] = ['worse', 'better', 'few', 'only-run', 'only-base', 'same']

/** One route on both sides. */
export interface RouteDifference {
  /** Name of the route; `null` for requests that matched none, and for commands. */
  readonly route: string | null
  readonly change: RouteChange
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
export function compareRuns(run: ProfileGroups, base: ProfileGroups): readonly RouteDifference[] {
  const ofRun = byRoute(run)
  const ofBase = byRoute(base)
  const routes = new Set([...ofRun.keys(), ...ofBase.keys()])
  const differences = [...routes].map((route) => difference(route, ofRun.get(route) ?? null, ofBase.get(route) ?? null))
  return differences.sort(
    (one, other) =>
      routeChanges.indexOf(one.change) - routeChanges.indexOf(other.change) ||
      weightOf(other) - weightOf(one) ||
      countOf(other) - countOf(one),
  )
}

/** Milliseconds that all requests of the newer run lost at the median, less than 0 where they won; 0 if a side has none. */
function lostMs({ run, base }: Pick<RouteDifference, 'run' | 'base'>): number {
  return run === null || base === null ? 0 : (run.p50Ms - base.p50Ms) * run.count
}

function byRoute({ groups }: ProfileGroups): ReadonlyMap<string | null, ProfileGroup> {
  return new Map(groups.map((group) => [group.key, group]))
}

function difference(route: string | null, run: ProfileGroup | null, base: ProfileGroup | null): RouteDifference {
  if (run === null || base === null) {
    const change = run === null ? 'only-base' : 'only-run'
    const isFew = ((run ?? base)?.count ?? 0) < fewInRun
    return { route, change, verdicts: [], isFew, run: withoutSamples(run), base: withoutSamples(base) }
  }
  const isFew = Math.min(run.count, base.count) < fewInRun
  const verdicts = verdictsOf(run, base, isFew)
  const change = changeOf(verdicts, isFew)
  return { route, change, verdicts, isFew, run: withoutSamples(run), base: withoutSamples(base) }
}

function withoutSamples(group: ProfileGroup | null): ProfileGroup | null {
  if (group === null) return null
  const { samples: _, ...figures } = group
  return figures
}

function changeOf(verdicts: readonly Verdict[], isFew: boolean): RouteChange {
  if (verdicts.length === 0) return 'same'
  if (isFew) return 'few'
  return verdicts.some(isWorse) ? 'worse' : 'better'
}

const worse: ReadonlySet<Verdict> = new Set([
  'slower',
  'slower-tail',
  'more-own-code',
  'more-queries',
  'more-errors',
] as const)

/** Whether a verdict is bad news. */
export function isWorse(verdict: Verdict): boolean {
  return worse.has(verdict)
}

function verdictsOf(run: ProfileGroup, base: ProfileGroup, isFew: boolean): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const judge = (sign: number, read: (sample: GroupSample) => number | null, more: Verdict, less: Verdict): void => {
    if (sign !== 0 && (isFew || isNoChance(sign, valuesOf(run, read), valuesOf(base, read)))) {
      verdicts.push(sign > 0 ? more : less)
    }
  }
  judge(timeSign(run.p50Ms, base.p50Ms, sameTime), ({ durationMs }) => durationMs, 'slower', 'faster')
  if (Math.min(run.count, base.count) >= fewForTail) {
    const tail = Math.min(run.p95Ms, base.p95Ms)
    const isInTail = ({ durationMs }: GroupSample): number => Number(durationMs > tail)
    judge(timeSign(run.p95Ms, base.p95Ms, sameTail), isInTail, 'slower-tail', 'faster-tail')
  }
  if (run.ownCpuP50Ms !== null && base.ownCpuP50Ms !== null) {
    const sign = timeSign(run.ownCpuP50Ms, base.ownCpuP50Ms, sameTime)
    judge(sign, ({ ownCpuMs }) => ownCpuMs, 'more-own-code', 'less-own-code')
  }
  if (run.meanQueries !== null && base.meanQueries !== null) {
    const sign = signBeyond(run.meanQueries - base.meanQueries, sameQueries)
    judge(sign, ({ queryCount }) => queryCount, 'more-queries', 'fewer-queries')
  }
  const errorRate = run.errorCount / run.count - base.errorCount / base.count
  judge(signBeyond(errorRate, sameErrorRate), ({ isError }) => Number(isError), 'more-errors', 'fewer-errors')
  return verdicts
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
function weightOf(one: RouteDifference): number {
  if (one.change === 'worse') return lostMs(one)
  if (one.change === 'few') return Math.abs(lostMs(one))
  return one.change === 'better' ? -lostMs(one) : 0
}

function countOf({ run, base }: RouteDifference): number {
  return (run?.count ?? 0) + (base?.count ?? 0)
}
