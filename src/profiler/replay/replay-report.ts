// What a replay says: each request that was sent, the spread of several, and the comparison with the recorded one.

import { compareNumbers } from '../compare/compare.ts'
import { isMissing, numbersOf } from '../compare/profile-numbers.ts'
import { medianNumbers, summaryOf, type ComparedSide } from '../compare/read-comparison.ts'
import type { Profile, ProfileSummary } from '../profile.ts'
import type { Compared } from '../query/compare-markdown.ts'
import type { MissingValue } from './repeatable-request.ts'
import type { SentReplay } from './send-replay.ts'

/** A request that was sent again. */
export interface ReplayRun {
  /** Token of its profile; `null` without one. */
  readonly token: string | null
  /** `null` without a response. */
  readonly status: number | null
  /** As its profile says, else as it was waited for. */
  readonly durationMs: number
  /** What went wrong, one sentence; `null`: nothing. */
  readonly problem: string | null
}

/** One number of several replays. */
export interface ReplaySpread {
  /** As in a comparison: `duration, ms`, `queries`. */
  readonly name: string
  readonly least: number
  readonly median: number
  readonly p95: number
  readonly most: number
  /** Of the recorded request; `null` if it does not say. */
  readonly recorded: number | null
}

/** What became of a replay. Plain JSON. */
export interface ReplayReport {
  /** The recorded request. */
  readonly of: ProfileSummary
  /** In the order in which they were sent. */
  readonly runs: readonly ReplayRun[]
  /** For the numbers of the profiles' summaries; empty for a single run. */
  readonly spread: readonly ReplaySpread[]
  /** A is the replay, or the median of several; B is the recorded request. `null` if no replay has a profile. */
  readonly compared: Compared | null
}

/** Why nothing was sent. */
export interface ReplayRefusal {
  readonly reason: 'gone' | 'impossible' | 'elsewhere' | 'incomplete' | 'invalid' | 'unconfirmed' | 'unreachable'
  /** For people: what is wrong, and what to do. */
  readonly problem: string
  /** What must be given; empty unless the reason is `incomplete`. */
  readonly missing: readonly MissingValue[]
}

export type ReplayAnswer =
  | { readonly state: 'sent'; readonly report: ReplayReport }
  | ({ readonly state: 'refused' } & ReplayRefusal)

/** One request that was sent, with its profile if there is one. */
export interface RunWithProfile {
  readonly sent: SentReplay
  readonly profile: Profile | undefined
}

/** Compares what came back with the recorded request. */
export function replayReport(of: Profile, runs: readonly RunWithProfile[]): ReplayReport {
  const profiles = runs.flatMap(({ profile }) => profile ?? [])
  return {
    of: summaryOf(of),
    runs: runs.map(runOf),
    spread: runs.length > 1 ? spreadOf(of, profiles) : [],
    compared: comparedWith(of, profiles),
  }
}

function runOf({ sent, profile }: RunWithProfile): ReplayRun {
  const { status, token, durationMs, problem } = sent
  return {
    token: profile?.token ?? null,
    status: profile?.status ?? status,
    durationMs: profile?.durationMs ?? durationMs,
    problem: problem ?? (profile !== undefined ? null : withoutProfile(token)),
  }
}

function withoutProfile(token: string | null): string {
  return token === null ? 'The response names no profile.' : `The profile ${token} was not kept.`
}

function comparedWith(of: Profile, profiles: readonly Profile[]): Compared | null {
  const [first] = profiles
  if (first === undefined) return null
  const isSingle = profiles.length === 1
  const a: ComparedSide = isSingle
    ? { kind: 'profile', summary: summaryOf(first) }
    : { kind: 'replays', of: of.token, count: profiles.length }
  const numbers = isSingle ? numbersOf(first) : medianNumbers(profiles.map(numbersOf))
  const comparison = compareNumbers(numbers, numbersOf(of))
  return { state: 'compared', a, b: { kind: 'profile', summary: summaryOf(of) }, comparison }
}

function spreadOf(of: Profile, profiles: readonly Profile[]): readonly ReplaySpread[] {
  const values = new Map<string, number[]>()
  for (const profile of profiles) {
    for (const [name, number] of summaryNumbers(profile)) values.set(name, [...(values.get(name) ?? []), number])
  }
  const recorded = summaryNumbers(of)
  return [...values].map(([name, numbers]) => {
    const sorted = numbers.toSorted((one, other) => one - other)
    // By nearest rank, as percentiles of groups.
    const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
    return { name, least: at(0), median: at(0.5), p95: at(0.95), most: at(1), recorded: recorded.get(name) ?? null }
  })
}

function summaryNumbers(profile: Profile): ReadonlyMap<string, number> {
  const { summary } = numbersOf(profile).numbers
  if (isMissing(summary)) return new Map()
  return new Map([...summary].map(([name, [number = 0]]) => [name, number]))
}
