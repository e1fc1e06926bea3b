// The scheduled tasks that have run: when last, when next, and how often they failed.

import * as v from 'valibot'
import { formatClock, formatCount, formatDuration } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { wallMs } from '../../base/timing/builtins.ts'
import { detail, empty, note, recorded, text, wideTable, type Line, type Table } from '../../observe/blocks/blocks.ts'
import type { ProfileReader } from '../../profiles/profile-store.ts'
import type { Profile, ProfileSummary } from '../../observe/profile.ts'
import { readPartAs } from '../../profiles/stored-data.ts'
import { question, type Question } from '../../pages/question.ts'

export const tasks: Question = question({
  name: 'tasks',
  label: 'Tasks',
  title: () => 'Tasks',
  about: 'list the scheduled tasks that have run',
  parameters: {},
  links: () => [{ page: '', with: { type: 'task' }, text: 'All runs' }],
  isThere: async ({ profiles }) => (await profiles.find({ type: 'task' }, { limit: 1 })).items.length > 0,
  ask: async ({ profiles }) => readTasks(profiles),
  tone: (found) => (found.tasks.some(({ last }) => last.error !== null) ? 'warning' : 'neutral'),
  draw: (found) => {
    if (found.tasks.length === 0) {
      return [empty('No scheduled task has run yet. Hand tasks of node-cron and jobs of croner to observe().')]
    }
    return [
      text('From kept runs: a task that has not run is not here.'),
      wideTable(
        'Scheduled tasks',
        'task',
        ['Task', 'Last run (UTC)', 'Next run (UTC)', { number: 'Runs' }, { number: 'Failed' }],
        found.tasks.map(rowOf),
      ),
      note(found.isCut && 'Older runs were not looked at.'),
    ]
  },
})

function rowOf(task: KnownTask): Table['rows'][number] {
  const { name, last, lastFailed, nextAt, runs, failed } = task
  const runLink = ({ token, time }: TaskRun): Line => ({ profile: token, text: formatClock(time) })
  return {
    tone: last.error === null ? 'neutral' : 'error',
    cells: [
      [
        { page: '', with: { type: 'task', url: `//task/${encodeURIComponent(name)}` }, text: cutText(name, 200) },
        detail('schedule', recorded(scheduleText(task))),
      ],
      [
        { profile: last.token, text: formatClock(last.time) },
        last.error === null ? { mark: 'done', tone: 'success' } : { mark: 'failed', tone: 'error' },
        { quiet: formatDuration(last.durationMs) },
        detail('error', recorded(last.error && cutText(last.error, 200))),
      ],
      nextAt === null
        ? { quiet: 'not known' }
        : [formatClock(nextAt), detail('note', nextAt < wallMs() ? 'past: it is running, or did not begin' : null)],
      formatCount(runs),
      [
        formatCount(failed),
        lastFailed === null || lastFailed.token === last.token
          ? null
          : detail('last failed', runLink(lastFailed), true),
      ],
    ],
  }
}

/** `* * * * * (croner) in shop`; a task without a name is called by its pattern, which is not said twice. */
function scheduleText({ name, pattern, library, service }: KnownTask): string {
  const schedule = pattern === null ? 'pattern unknown' : pattern === name ? `${library}` : `${pattern} (${library})`
  return `${schedule}${service === null ? '' : ` in ${service}`}`
}

/** A task, as its kept runs tell of it. */
interface KnownTask {
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

interface TaskRun {
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
async function readTasks(profiles: Pick<ProfileReader, 'find' | 'read'>): Promise<KnownTasks> {
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
