// Finds and reads the runs of a route that a comparison is about.

import type { ProfileFilter, ProfileGroups, ProfileStore } from '../profile-store.ts'
import { compareRuns, type RouteDifference } from './compare-runs.ts'
import { runTypeOf } from '../profile.ts'
import { readPart } from '../stored-data.ts'

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
  return profiles.group({ ...filter, ...scope }, 'route', { isForComparison: true })
}

function sideOf({ since, until, version }: RunScope, { count, isCut, omitted }: ProfileGroups): ComparedRun {
  return { since, until, version, count, isCut, omitted }
}

/** What is asked for; `null` for a run that is not named. */
export interface AskedRuns extends Pick<RunsRequest, 'filter'> {
  readonly run: RunScope | null
  readonly base: RunScope | null
}

/** Both runs, or why there is nothing to compare: no two starts are known, no other version is, or no base can be told. */
export type FoundRuns =
  | ({ readonly state: 'found' } & RunsRequest)
  | { readonly state: 'no-starts' | 'no-base' }
  | { readonly state: 'no-other-version'; readonly version: string }

/** Starts that are looked up, at most. */
const maxStarts = 6
/** Profiles that are looked at for each: the newest may be of commands. */
const looked = 10

/**
 * Fills in what is not named. Nothing: the newest start of the application against the one before it. A version: against the
 * one before it, by its newest profile; the first of all against the newest other. A time: against all that was before it.
 * Only a base that is a version: the newest other version against it. Rejects when the store fails.
 */
export async function findRuns(
  profiles: Pick<ProfileStore, 'find' | 'read' | 'group'>,
  { filter, run, base }: AskedRuns,
): Promise<FoundRuns> {
  if (run === null && base === null) return newestStarts(profiles, filter)
  if (run !== null && base !== null) return { state: 'found', filter, run, base }
  if (run === null) return runAfter(profiles, filter, base ?? anything)
  const { since, version } = run
  if (version === null) {
    return since === null ? { state: 'no-base' } : { state: 'found', filter, run, base: { ...anything, until: since } }
  }
  const versions = await recentVersions(profiles)
  const before = versions[versions.indexOf(version) + 1] ?? versions.find((one) => one !== version)
  if (before === undefined) return { state: 'no-other-version', version }
  return { state: 'found', filter, run, base: { since: null, until: since, version: before } }
}

/** Versions of the newest 10,000 profiles, the one that was seen last first. */
export async function recentVersions(profiles: Pick<ProfileStore, 'group'>): Promise<readonly string[]> {
  const { groups } = await profiles.group({}, 'version')
  return groups.toSorted((one, other) => other.lastTime - one.lastTime).flatMap(({ key }) => key ?? [])
}

/** The scope, or `null` if it leaves everything open. */
export function namedOrNull(scope: RunScope): RunScope | null {
  return scope.since === null && scope.until === null && scope.version === null ? null : scope
}

const anything: RunScope = { since: null, until: null, version: null }

async function runAfter(
  profiles: Pick<ProfileStore, 'group'>,
  filter: ProfileFilter,
  base: RunScope,
): Promise<FoundRuns> {
  if (base.version === null) return { state: 'found', filter, run: anything, base }
  const newest = (await recentVersions(profiles)).find((version) => version !== base.version)
  if (newest === undefined) return { state: 'no-other-version', version: base.version }
  return { state: 'found', filter, run: { ...anything, version: newest }, base }
}

async function newestStarts(profiles: Pick<ProfileStore, 'find' | 'read'>, filter: ProfileFilter): Promise<FoundRuns> {
  const [newest, before] = await recentStarts(profiles, 2)
  if (newest === undefined || before === undefined) return { state: 'no-starts' }
  const run = { ...anything, since: newest }
  return { state: 'found', filter, run, base: { ...anything, since: before, until: newest } }
}

/** When the processes of the newest requests began, the newest first. Milliseconds since 1970. */
export async function recentStarts(
  profiles: Pick<ProfileStore, 'find' | 'read'>,
  most: number = maxStarts,
): Promise<readonly number[]> {
  const starts: number[] = []
  while (starts.length < most) {
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
