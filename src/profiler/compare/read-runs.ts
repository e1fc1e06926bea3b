// Reads the two sides of a comparison of runs from a store, and says which runs there were: each start of a process begins one.

import { commandMethod } from '../collectors/command.ts'
import type { ProfileFilter, ProfileGroups, ProfileStore } from '../profile-store.ts'
import { readPart } from '../stored-data.ts'
import { compareRuns, type RouteDifference } from './compare-runs.ts'

/** A stretch of time, in milliseconds since 1970; `null` leaves an end open. */
export interface RunRange {
  /** Inclusive. */
  readonly since: number | null
  /** Exclusive. */
  readonly until: number | null
}

/** What is compared. */
export interface RunsRequest {
  /** What both sides are narrowed by; its own times are not looked at. */
  readonly filter: ProfileFilter
  readonly run: RunRange
  readonly base: RunRange
}

/** One side, and what it was made from. */
export interface ComparedRun extends RunRange {
  readonly count: number
  /** Whether older profiles of the range were not looked at. */
  readonly isCut: boolean
  /** Routes that were left out: the rarest ones. */
  readonly omitted: number
}

/** Two runs, route by route. Plain JSON. */
export interface RunComparison {
  readonly run: ComparedRun
  readonly base: ComparedRun
  readonly routes: readonly RouteDifference[]
}

/** Starts that are looked up, at most. */
const maxStarts = 6
/** Profiles that are looked at for each: the newest may be of commands. */
const looked = 10

/** Compares them. Rejects when the store fails. */
export async function readRuns(
  profiles: Pick<ProfileStore, 'group'>,
  { filter, run, base }: RunsRequest,
): Promise<RunComparison> {
  const [ofRun, ofBase] = await Promise.all([readRun(profiles, filter, run), readRun(profiles, filter, base)])
  return { run: sideOf(run, ofRun), base: sideOf(base, ofBase), routes: compareRuns(ofRun, ofBase) }
}

/** The older run where only the newer one is named: all that was before it; `null` where nothing can have been. */
export function baseBefore({ since }: RunRange): RunRange | null {
  return since === null ? null : { since: null, until: since }
}

/** Whether a profile can belong to both. */
export function doOverlap(one: RunRange, other: RunRange): boolean {
  const begins = (range: RunRange): number => range.since ?? Number.NEGATIVE_INFINITY
  const ends = (range: RunRange): number => range.until ?? Number.POSITIVE_INFINITY
  return begins(one) < ends(other) && begins(other) < ends(one)
}

/** When the processes began that answered the newest requests, the newest first. Milliseconds since 1970. */
export async function recentStarts(profiles: Pick<ProfileStore, 'find' | 'read'>): Promise<readonly number[]> {
  const starts: number[] = []
  while (starts.length < maxStarts) {
    const start = await newestStart(profiles, starts.at(-1))
    if (start === undefined) break
    starts.push(start)
  }
  return starts
}

/** Asks the newest requests from before an instant, as many as it takes to find one that knows. */
async function newestStart(
  profiles: Pick<ProfileStore, 'find' | 'read'>,
  until: number | undefined,
): Promise<number | undefined> {
  const { items } = await profiles.find(until === undefined ? {} : { until }, { limit: looked })
  for (const { token, method, time } of items) {
    const profile = method === commandMethod ? undefined : await profiles.read(token)
    const start = profile === undefined ? undefined : startOf(readPart(profile, 'config'))
    if (start !== undefined && start <= time) return start
  }
  return undefined
}

async function readRun(
  profiles: Pick<ProfileStore, 'group'>,
  { since: _since, until: _until, ...filter }: ProfileFilter,
  { since, until }: RunRange,
): Promise<ProfileGroups> {
  const range = { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) }
  return profiles.group({ ...filter, ...range }, 'route')
}

function sideOf({ since, until }: RunRange, { count, isCut, omitted }: ProfileGroups): ComparedRun {
  return { since, until, count, isCut, omitted }
}

function startOf(config: ReturnType<typeof readPart<'config'>>): number | undefined {
  if (config.state !== 'there') return undefined
  const { startedAt } = config.data
  return typeof startedAt === 'number' && Number.isFinite(startedAt) ? startedAt : undefined
}
