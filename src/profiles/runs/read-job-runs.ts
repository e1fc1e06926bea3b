// Adds to a profile what became of its jobs: the runs of those that it added, and the other runs of its own job.

import * as v from 'valibot'
import { jobRunName, jobRunQuery, type JobRun } from '../../observe/collectors/job.ts'
import { runMethods, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import type { ProfileReader } from '../profile-store.ts'
import { readPartAs } from '../stored-data.ts'

/** Runs that are looked at, the newest. */
const maxRuns = 200

const addedSchema = v.looseObject({
  entries: v.array(v.looseObject({ queue: v.string(), names: v.array(v.string()), ids: v.array(v.string()) })),
})

type AddedJobs = v.InferOutput<typeof addedSchema>['entries'][number]

/** The profile with `runs` in `data.jobs` and `data.job`, if there are any. Rejects when the store fails. */
export async function withJobRuns(profiles: Pick<ProfileReader, 'find'>, profile: Profile): Promise<Profile> {
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

function runOf({ token, status }: ProfileSummary): JobRun {
  return { token, status }
}
