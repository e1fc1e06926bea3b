// Finds out which runs to compare where not both are named: each start of a process begins a run, and so does each version of
// the application. Comparing them is left to `read-runs.ts`.

import { commandMethod } from '../collectors/command.ts'
import type { ProfileStore } from '../profile-store.ts'
import { readPart } from '../stored-data.ts'
import type { RunScope, RunsRequest } from './read-runs.ts'

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

/** The scope, or `null` where it leaves everything open. */
export function namedOrNull(scope: RunScope): RunScope | null {
  return scope.since === null && scope.until === null && scope.version === null ? null : scope
}

const anything: RunScope = { since: null, until: null, version: null }

async function runAfter(
  profiles: Pick<ProfileStore, 'group'>,
  filter: RunsRequest['filter'],
  base: RunScope,
): Promise<FoundRuns> {
  if (base.version === null) return { state: 'found', filter, run: anything, base }
  const newest = (await recentVersions(profiles)).find((version) => version !== base.version)
  if (newest === undefined) return { state: 'no-other-version', version: base.version }
  return { state: 'found', filter, run: { ...anything, version: newest }, base }
}

async function newestStarts(
  profiles: Pick<ProfileStore, 'find' | 'read'>,
  filter: RunsRequest['filter'],
): Promise<FoundRuns> {
  const [newest, before] = await recentStarts(profiles, 2)
  if (newest === undefined || before === undefined) return { state: 'no-starts' }
  const run = { ...anything, since: newest }
  return { state: 'found', filter, run, base: { ...anything, since: before, until: newest } }
}

/** When the processes began that answered the newest requests, the newest first. Milliseconds since 1970. */
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
    const profile = method === commandMethod ? undefined : await profiles.read(token)
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
