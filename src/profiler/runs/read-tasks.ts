// What kept runs tell of scheduled tasks: the last run of each, when it is due next, and how often it failed.

import * as v from 'valibot'
import type { Profile, ProfileSummary } from '../profile.ts'
import type { ProfileReader } from '../profile-store.ts'
import { readPartAs } from '../stored-data.ts'

/** A task, as its kept runs tell of it. */
export interface KnownTask {
  readonly name: string
  /** The application that runs it; `null` if unknown. */
  readonly service: string | null
  /** `node-cron`, `croner`; `null` if unknown. */
  readonly library: string | null
  /** `null` if unknown. */
  readonly pattern: string | null
  /** Kept runs that were looked at, and how many of them failed. */
  readonly runs: number
  readonly failed: number
  readonly last: TaskRun
  /** `null`: none failed. */
  readonly lastFailed: TaskRun | null
  /** When its last run expected the next one, milliseconds since 1970; `null`: never, or not known. */
  readonly nextAt: number | null
}

export interface TaskRun {
  readonly token: string
  /** When it began, milliseconds since 1970. */
  readonly time: number
  readonly durationMs: number
  /** What it failed with; `null` if it did not. */
  readonly error: string | null
}

export interface KnownTasks {
  /** In the order of their names. */
  readonly tasks: readonly KnownTask[]
  /** Whether the store has older runs, which were not looked at. */
  readonly isCut: boolean
}

/** Runs that are looked at, the newest, and tasks whose last run is read. */
const maxRuns = 1000
const maxTasks = 100

const taskSchema = v.looseObject({ library: v.string(), pattern: v.string(), nextAt: v.nullable(v.number()) })

/** Rejects when the store fails. */
export async function readTasks(profiles: Pick<ProfileReader, 'find' | 'read'>): Promise<KnownTasks> {
  const runs: ProfileSummary[] = []
  let after: string | null = null
  do {
    const page = await profiles.find({ type: 'task' }, { limit: 200, ...(after === null ? {} : { after }) })
    runs.push(...page.items)
    after = page.next
  } while (after !== null && runs.length < maxRuns)
  // Newest first.
  const byTask = Map.groupBy(runs, ({ handler, service }) => `${handler}\n${service}`)
  const known = [...byTask.values()].slice(0, maxTasks).map(async (all) => taskOf(all, profiles))
  const tasks = await Promise.all(known)
  return {
    tasks: tasks.filter((task) => task !== undefined).sort((one, other) => one.name.localeCompare(other.name)),
    isCut: after !== null || byTask.size > maxTasks,
  }
}

async function taskOf(
  runs: readonly ProfileSummary[],
  profiles: Pick<ProfileReader, 'read'>,
): Promise<KnownTask | undefined> {
  const [last] = runs
  if (last === undefined) return undefined
  const failed = runs.filter(({ status }) => status !== 200)
  return {
    name: last.handler,
    service: last.service,
    ...scheduleIn(await profiles.read(last.token)),
    runs: runs.length,
    failed: failed.length,
    last: runOf(last),
    lastFailed: failed[0] === undefined ? null : runOf(failed[0]),
  }
}

function scheduleIn(profile: Profile | undefined): Pick<KnownTask, 'library' | 'pattern' | 'nextAt'> {
  const part = profile && readPartAs(profile, 'task', taskSchema)
  if (part?.state !== 'there') return { library: null, pattern: null, nextAt: null }
  const { library, pattern, nextAt } = part.data
  return { library, pattern, nextAt }
}

function runOf({ token, time, durationMs, status, errorClass, errorMessage }: ProfileSummary): TaskRun {
  const error = [errorClass, errorMessage].filter((text) => text !== null && text !== '').join(': ')
  return { token, time, durationMs, error: status === 200 ? null : error || 'failed' }
}
