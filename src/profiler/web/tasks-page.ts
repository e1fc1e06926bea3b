// `/_profiler/tasks`: the scheduled tasks that have run, as HTML, JSON and Markdown.

import { wallMs } from '../../framework/timing/builtins.ts'
import { badge, emptyState, formatClock, formatCount, formatDuration, note } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { readTasks, type KnownTask, type KnownTasks, type TaskRun } from '../runs/read-tasks.ts'
import { columnLines, columnStyles, columnTable, type Column } from './columns.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'

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
