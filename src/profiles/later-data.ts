// Adds to a profile what was recorded after it: what its pages reported, the runs of the jobs that it added, the other runs of its own job.

import { fieldValue } from '../base/http/header-fields.ts'
import { browserMethod, runMethods, type Profile, type ProfileSummary } from '../observe/profile.ts'
import type { ProfileReader } from './profile-store.ts'
import { dataOf, readPartAs } from './stored-data.ts'
import { mergeBrowserData } from '../observe/browser/browser-data.ts'
import * as v from 'valibot'
import { jobRunName, jobRunQuery, type JobRun } from '../observe/collectors/runs.ts'

type Reads = Pick<ProfileReader, 'find' | 'read'>

/** The profile with `data.browser`, and `runs` in `data.jobs` and `data.job`, if there are any. Rejects when the store fails. */
export async function withLaterData(profiles: Reads, profile: Profile): Promise<Profile> {
  return withJobRuns(profiles, await withBrowserData(profiles, profile))
}

/** Reports that are read of one page, the newest. */
const maxReports = 100

async function withBrowserData(profiles: Reads, profile: Profile): Promise<Profile> {
  if (!isPage(profile)) return profile
  const { items } = await profiles.find({ parentToken: profile.token, method: browserMethod }, { limit: maxReports })
  if (items.length === 0) return profile
  const reports = await Promise.all(items.map(({ token }) => profiles.read(token)))
  const known = [profile, ...reports].flatMap((one) => (one && dataOf(one, 'browser')) ?? [])
  const browser = mergeBrowserData(known)
  return { ...profile, data: { ...profile.data, browser } }
}

/** Whether a browser was sent a page. */
function isPage(profile: Profile): boolean {
  const fields = profile.parentToken === null ? (dataOf(profile, 'request')?.responseHeaders ?? []) : []
  return /^\s*text\/html/i.test(fieldValue(fields, 'content-type') ?? '')
}

/** Errors of pages that a list looks at, the newest. */
const maxListed = 200

/** How many different errors the pages of listed requests reported, by the token of the request. Rejects when the store fails. */
export async function countPageErrors(
  profiles: Pick<ProfileReader, 'find'>,
  listed: readonly ProfileSummary[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  if (listed.length === 0) return counts
  const since = Math.min(...listed.map(({ time }) => time))
  const { items } = await profiles.find({ method: browserMethod, hasError: true, since }, { limit: maxListed })
  for (const { parentToken } of items) {
    if (parentToken !== null) counts.set(parentToken, (counts.get(parentToken) ?? 0) + 1)
  }
  return counts
}

/** Runs that are looked at, the newest. */
const maxRuns = 200

const addedSchema = v.looseObject({
  entries: v.array(v.looseObject({ queue: v.string(), names: v.array(v.string()), ids: v.array(v.string()) })),
})

type AddedJobs = v.InferOutput<typeof addedSchema>['entries'][number]

async function withJobRuns(profiles: Reads, profile: Profile): Promise<Profile> {
  const [jobs, job] = [readPartAs(profile, 'jobs', addedSchema), readPartAs(profile, 'job', v.looseObject({}))]
  if (jobs.state === 'there' && profile.traceId !== null) {
    const { items } = await profiles.find(
      { traceId: profile.traceId, method: runMethods.job, since: profile.time },
      { limit: maxRuns },
    )
    const entries = jobs.data.entries.map((entry) => ({ ...entry, runs: runsOf(items, entry) }))
    return { ...profile, data: { ...profile.data, jobs: { ...jobs.data, entries } } }
  }
  if (job.state === 'there') {
    const { items } = await profiles.find({ method: runMethods.job, url: profile.url }, { limit: maxRuns })
    const runs = items.filter(({ url }) => url === profile.url).map(runOf)
    return { ...profile, data: { ...profile.data, job: { ...job.data, runs: runs.toReversed() } } }
  }
  return profile
}

/** While the ids are not known, the names tell. */
function runsOf(items: readonly ProfileSummary[], { queue, names, ids }: AddedJobs): readonly JobRun[] {
  const paths = names.map((name) => `/${encodeURIComponent(jobRunName(queue, name))}`)
  const queries = new Set(ids.map(jobRunQuery))
  const isOne = ({ url }: ProfileSummary): boolean => {
    const [address = '', query = ''] = url.split('?')
    return paths.some((path) => address.endsWith(path)) && (ids.length === 0 || queries.has(query))
  }
  return items.filter(isOne).map(runOf).toReversed()
}

function runOf({ token, status, durationMs }: ProfileSummary): JobRun {
  return { token, status, durationMs }
}
