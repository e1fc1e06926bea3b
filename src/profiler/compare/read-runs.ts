// Reads the two sides of a comparison of runs from a store. Which runs are compared where not all is said is decided elsewhere.

import type { ProfileFilter, ProfileGroups, ProfileStore } from '../profile-store.ts'
import { compareRuns, type RouteDifference } from './compare-runs.ts'

/** Which profiles a run is made of; `null` leaves a part open. */
export interface RunScope {
  /** Milliseconds since 1970, inclusive. */
  readonly since: number | null
  /** Milliseconds since 1970, exclusive. */
  readonly until: number | null
  /** Version of the application (`APP_VERSION`). */
  readonly version: string | null
}

/** What is compared. */
export interface RunsRequest {
  /** What both sides are narrowed by; its own times and version are not looked at. */
  readonly filter: ProfileFilter
  readonly run: RunScope
  readonly base: RunScope
}

/** One side, and what it was made from. */
export interface ComparedRun extends RunScope {
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

/** Compares them. Rejects when the store fails. */
export async function readRuns(
  profiles: Pick<ProfileStore, 'group'>,
  { filter, run, base }: RunsRequest,
): Promise<RunComparison> {
  const [ofRun, ofBase] = await Promise.all([readRun(profiles, filter, run), readRun(profiles, filter, base)])
  return { run: sideOf(run, ofRun), base: sideOf(base, ofBase), routes: compareRuns(ofRun, ofBase) }
}

/** Whether a profile can belong to both. */
export function doOverlap(one: RunScope, other: RunScope): boolean {
  if (one.version !== null && other.version !== null && one.version !== other.version) return false
  const begins = (scope: RunScope): number => scope.since ?? Number.NEGATIVE_INFINITY
  const ends = (scope: RunScope): number => scope.until ?? Number.POSITIVE_INFINITY
  return begins(one) < ends(other) && begins(other) < ends(one)
}

async function readRun(
  profiles: Pick<ProfileStore, 'group'>,
  { since: _since, until: _until, version: _version, ...filter }: ProfileFilter,
  { since, until, version }: RunScope,
): Promise<ProfileGroups> {
  const scope = {
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
    ...(version === null ? {} : { version }),
  }
  return profiles.group({ ...filter, ...scope }, 'route')
}

function sideOf({ since, until, version }: RunScope, { count, isCut, omitted }: ProfileGroups): ComparedRun {
  return { since, until, version, count, isCut, omitted }
}
