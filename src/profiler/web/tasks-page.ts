// `/_profiler/tasks`: the scheduled tasks that have run, as HTML, JSON and Markdown.

import { codeSpan } from '../../errors/markdown-text.ts'
import { countOf } from '../../errors/page/page-budget.ts'
import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatCount,
  formatDuration,
  formatTime,
} from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { isoTime } from '../query/profile-facts.ts'
import { readTasks, type KnownTask, type KnownTasks, type TaskRun } from '../runs/read-tasks.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { fromStore } from './unreadable-store.ts'

const empty = 'No scheduled task has run yet. Hand tasks of node-cron and jobs of croner to observe().'
const cutNote = 'Older runs were not looked at.'

export const tasksPage: ProfilerPage<KnownTasks> = async (_exchange, { options: { profiles, profilerPath } }) => {
  const known = await fromStore(async () => readTasks(profiles))
  return {
    html: () => ({
      title: 'Scheduled tasks',
      tone: known.tasks.some(({ last }) => last.error !== null) ? 'warning' : 'neutral',
      content: tasksContent(known, profilerPath),
      styles: [taskStyles],
    }),
    json: () => known,
    markdown: () => tasksMarkdown(known),
  }
}

function tasksContent({ tasks, isCut }: KnownTasks, profilerPath: string): SafeHtml {
  if (tasks.length === 0) return emptyState(empty)
  return html`<p class="muted small tasks-note">
      From kept runs: a task that has not run is not here. <a href="${profilerPath}/?type=task">All runs</a>
    </p>
    ${dataTable(
      'tasks',
      'Scheduled tasks',
      ['Task', 'Last run (UTC)', 'Next run (UTC)', columnHead('Runs', 'number'), columnHead('Failed', 'number')],
      tasks.map((task) => row(task, profilerPath)),
    )}
    ${isCut ? html`<p class="note tone-warning">${cutNote}</p>` : null}`
}

function row(task: KnownTask, profilerPath: string): SafeHtml {
  const { name, service, library, pattern, last, lastFailed, nextAt, runs, failed } = task
  const address = encodeURIComponent(`//task/${encodeURIComponent(name)}`)
  return html`<tr class="tone-${last.error === null ? 'neutral' : 'error'}">
    <th scope="row">
      <a href="${profilerPath}/?type=task&amp;url=${address}">${cutText(name, 200)}</a>
      <div class="muted small">
        ${pattern === null ? 'pattern unknown' : html`<code>${pattern}</code> (${library})`}${service === null ? null : ` in ${service}`}
      </div>
    </th>
    <td data-label="last run">
      ${runLink(last, profilerPath)} ${last.error === null ? badge('done', 'success') : badge('failed', 'error')}
      <span class="muted small">${formatDuration(last.durationMs)}</span>
      ${last.error === null ? null : html`<div class="small">${cutText(last.error, 200)}</div>`}
    </td>
    <td data-label="next run">${nextAt === null ? 'not known' : nextRun(nextAt)}</td>
    <td class="number" data-label="runs">${formatCount(runs)}</td>
    <td class="number" data-label="failed">
      ${formatCount(failed)}
      ${lastFailed === null || lastFailed.token === last.token ? null : html`<div class="small">last ${runLink(lastFailed, profilerPath)}</div>`}
    </td>
  </tr> `
}

function runLink({ token, time }: TaskRun, profilerPath: string): SafeHtml {
  return html`<a href="${profilerPath}/${token}">${formatTime(time).slice(0, 19)}</a>`
}

function nextRun(time: number): SafeHtml {
  const text = formatTime(time).slice(0, 19)
  if (time >= Date.now()) return html`${text}`
  return html`${text}
    <div class="muted small">past: it is running, or did not begin</div>`
}

function tasksMarkdown({ tasks, isCut }: KnownTasks): string {
  const lines = tasks.map(({ name, service, library, pattern, last, nextAt, runs, failed }) => {
    const schedule = pattern === null ? 'pattern unknown' : `${codeSpan(pattern)} (${library})`
    const outcome = last.error === null ? 'done' : `failed with ${codeSpan(last.error)}`
    const next = nextAt === null ? 'not known' : isoTime(nextAt)
    const place = service === null ? '' : ` in ${codeSpan(service)}`
    return `- ${codeSpan(name)}${place}: ${schedule}, last ${isoTime(last.time)} ${codeSpan(last.token)} ${outcome}, next ${next}, ${countOf(runs, 'run')}, ${failed} failed`
  })
  return `# Scheduled tasks\n\n${tasks.length === 0 ? empty : lines.join('\n')}\n${isCut ? `\n${cutNote}\n` : ''}`
}

const taskStyles: SafeHtml = styleSheet(`
.tasks-note { margin: var(--space-6) 0 var(--space-3) }
.tasks :is(th, td) { overflow-wrap: anywhere }
@media (max-width: 48rem) {
  .tasks thead { display: none }
  .tasks, .tasks tbody { display: block }
  .tasks tr { display: block; padding: var(--space-2) var(--space-3); border-bottom: 1px solid var(--line) }
  .tasks :is(th, td) { display: block; border: 0 !important; padding: 0 !important; text-align: left !important; box-shadow: none !important }
  .tasks td::before { content: attr(data-label) ":\\00a0"; color: var(--muted) }
}
`)
