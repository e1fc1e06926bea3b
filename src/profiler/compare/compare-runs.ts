// Compares two runs of an application, route by route: what it did in one stretch of time against what it did in another. Takes
// the groups of a store; which profiles they are made of is its caller's.

import type { ProfileGroup, ProfileGroups } from '../profile-store.ts'

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
  /** Name of the route; `null` for what no route took, and for commands. */
  readonly route: string | null
  readonly change: RouteChange
  readonly verdicts: readonly Verdict[]
  /** Whether one side has so few profiles that its numbers may be chance. */
  readonly isFew: boolean
  /** `null` where the side has no profile of it. */
  readonly run: ProfileGroup | null
  readonly base: ProfileGroup | null
}

/** With fewer profiles on a side, the numbers may be chance. */
export const fewInRun = 5
/** With fewer, the 95th percentile is one profile. */
const fewForTail = 20
/** Times that differ by less are taken for the same: parts of the older one, and milliseconds. */
const sameTime = { share: 0.1, ms: 0.2 } as const
const sameTail = { share: 0.25, ms: 1 } as const
/** Queries on average. */
const sameQueries = 0.5
/** Errors, in parts of all. */
const sameErrorRate = 0.01

/** Every route of both: what got worse first, by how many milliseconds; then what got better and what may be chance; what is the same last. */
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

/** Milliseconds by which half of the profiles of a route became slower, less than 0 for faster; 0 where a side has none. */
export function slowerByMs({ run, base }: Pick<RouteDifference, 'run' | 'base'>): number {
  return run === null || base === null ? 0 : run.p50Ms - base.p50Ms
}

function byRoute({ groups }: ProfileGroups): ReadonlyMap<string | null, ProfileGroup> {
  return new Map(groups.map((group) => [group.key, group]))
}

function difference(route: string | null, run: ProfileGroup | null, base: ProfileGroup | null): RouteDifference {
  if (run === null || base === null) {
    const change = run === null ? 'only-base' : 'only-run'
    return { route, change, verdicts: [], isFew: ((run ?? base)?.count ?? 0) < fewInRun, run, base }
  }
  const isFew = Math.min(run.count, base.count) < fewInRun
  const verdicts = verdictsOf(run, base)
  return { route, change: changeOf(verdicts, isFew), verdicts, isFew, run, base }
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

function verdictsOf(run: ProfileGroup, base: ProfileGroup): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const judge = (sign: number, more: Verdict, less: Verdict): void => {
    if (sign !== 0) verdicts.push(sign > 0 ? more : less)
  }
  judge(timeSign(run.p50Ms, base.p50Ms, sameTime), 'slower', 'faster')
  if (Math.min(run.count, base.count) >= fewForTail) {
    judge(timeSign(run.p95Ms, base.p95Ms, sameTail), 'slower-tail', 'faster-tail')
  }
  if (run.ownCpuP50Ms !== null && base.ownCpuP50Ms !== null) {
    judge(timeSign(run.ownCpuP50Ms, base.ownCpuP50Ms, sameTime), 'more-own-code', 'less-own-code')
  }
  if (run.meanQueries !== null && base.meanQueries !== null) {
    judge(signBeyond(run.meanQueries - base.meanQueries, sameQueries), 'more-queries', 'fewer-queries')
  }
  const errorRate = run.errorCount / run.count - base.errorCount / base.count
  judge(signBeyond(errorRate, sameErrorRate), 'more-errors', 'fewer-errors')
  return verdicts
}

function timeSign(run: number, base: number, same: { readonly share: number; readonly ms: number }): number {
  return signBeyond(run - base, Math.max(same.ms, base * same.share))
}

function signBeyond(delta: number, negligible: number): number {
  return Math.abs(delta) < negligible ? 0 : Math.sign(delta)
}

/** Orders the routes of one change. */
function weightOf(one: RouteDifference): number {
  if (one.change === 'worse') return slowerByMs(one)
  if (one.change === 'few') return Math.abs(slowerByMs(one))
  return one.change === 'better' ? -slowerByMs(one) : 0
}

function countOf({ run, base }: RouteDifference): number {
  return (run?.count ?? 0) + (base?.count ?? 0)
}
