// `/_profiler/tasks`: the scheduled tasks that have run, as HTML, JSON and Markdown.

import { wallMs } from '../../framework/timing/builtins.ts'
import { badge, emptyState, formatClock, formatCount, formatDuration, note } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { columnLines, columnStyles, columnTable, type Column } from './columns.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import * as v from 'valibot'
import type { Profile, ProfileSummary } from '../profile.ts'
import type { ProfileReader } from '../profile-store.ts'
import { readPartAs } from '../stored-data.ts'

const empty = 'No scheduled task has run yet. Hand tasks of node-cron and jobs of croner to observe().'
const cutNote = 'Older runs were not looked at.'

export const tasksPage: ProfilerPage = async (_exchange, { options: { profiles, profilerPath } }) => {
  const known = await fromStore(async () => readTasks(profiles))
  return {
    html: () => ({
      title: 'Tasks',
      tone: known.tasks.some(({ last }) => last.error !== null) ? 'warning' : 'neutral',
      content: tasksContent(known, profilerPath),
      styles: taskStyles,
    }),
    json: () => known,
    markdown: () => tasksMarkdown(known, profilerPath),
  }
}

function tasksContent({ tasks, isCut }: KnownTasks, profilerPath: string): SafeHtml {
  if (tasks.length === 0) return emptyState(empty)
  return html`<p class="muted small tasks-note">
      From kept runs: a task that has not run is not here. <a href="${profilerPath}/?type=task">All runs</a>
    </p>
    ${columnTable(taskColumns(profilerPath), tasks, {
      className: 'tasks',
      caption: 'Scheduled tasks',
      tone: ({ last }) => (last.error === null ? 'neutral' : 'error'),
    })}
    ${isCut ? note(cutNote) : null}`
}

function taskColumns(profilerPath: string): readonly Column<KnownTask>[] {
  return [
    {
      title: 'Task',
      text: (task) => `${task.name}, ${scheduleText(task)}`,
      cell: (task) => {
        const address = encodeURIComponent(`//task/${encodeURIComponent(task.name)}`)
        return html`<a href="${profilerPath}/?type=task&amp;url=${address}">${cutText(task.name, 200)}</a>
          <div class="muted small">${scheduleText(task)}</div>`
      },
    },
    {
      title: 'Last run (UTC)',
      text: ({ last: { time, token, error } }) =>
        `${formatClock(time)} ${token} ${error === null ? 'done' : `failed with ${error}`}`,
      cell: ({ last }) =>
        html`${runLink(last, profilerPath)} ${last.error === null ? badge('done', 'success') : badge('failed', 'error')}
          <span class="muted small">${formatDuration(last.durationMs)}</span>
          ${last.error === null ? null : html`<div class="small">${cutText(last.error, 200)}</div>`}`,
    },
    {
      title: 'Next run (UTC)',
      text: ({ nextAt }) => (nextAt === null ? null : formatClock(nextAt)),
      cell: ({ nextAt }) => (nextAt === null ? null : nextRun(nextAt)),
      none: 'not known',
    },
    { title: 'Runs', text: ({ runs }) => formatCount(runs), className: 'number' },
    {
      title: 'Failed',
      text: ({ failed }) => formatCount(failed),
      cell: ({ failed, last, lastFailed }) =>
        html`${formatCount(failed)}
        ${lastFailed === null || lastFailed.token === last.token ? null : html`<div class="small">last ${runLink(lastFailed, profilerPath)}</div>`}`,
      className: 'number',
    },
  ]
}

/** `* * * * * (croner) in shop`; a task without a name is called by its pattern, which is not said twice. */
function scheduleText({ name, pattern, library, service }: KnownTask): string {
  const schedule = pattern === null ? 'pattern unknown' : pattern === name ? `${library}` : `${pattern} (${library})`
  return `${schedule}${service === null ? '' : ` in ${service}`}`
}

function runLink({ token, time }: TaskRun, profilerPath: string): SafeHtml {
  return html`<a href="${profilerPath}/${token}">${formatClock(time)}</a>`
}

function nextRun(time: number): SafeHtml {
  const text = formatClock(time)
  if (time >= wallMs()) return html`${text}`
  return html`${text}
    <div class="muted small">past: it is running, or did not begin</div>`
}

function tasksMarkdown({ tasks, isCut }: KnownTasks, profilerPath: string): string {
  const lines = columnLines(taskColumns(profilerPath), tasks)
  return `# Scheduled tasks\n\n${tasks.length === 0 ? empty : lines.join('\n')}\n${isCut ? `\n${cutNote}\n` : ''}`
}

const taskStyles: readonly SafeHtml[] = [
  columnStyles('tasks', '48rem'),
  styleSheet('.tasks-note { margin: var(--space-6) 0 var(--space-3) }'),
]

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
