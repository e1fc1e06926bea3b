// Draws one run of a scheduled task: when it was due, when it is due next, and what was skipped before it.

import {
  badge,
  dataTable,
  emptyState,
  formatDuration,
  formatTime,
  keyValueTable,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, cutMark } from '../../../errors/page/page-budget.ts'
import type { SkippedRun, TaskData } from '../../collectors/task.ts'
import { isoTime } from '../../query/profile-facts.ts'
import type { Panel } from '../panel.ts'

export const taskPanel: Panel<TaskData> = {
  name: 'task',
  title: 'Task',
  of: 'tasks',
  badge: ({ skipped }) =>
    skipped.length === 0
      ? undefined
      : { count: skipped.length, tone: 'warning', hint: `${countOf(skipped.length, 'run')} skipped before this one` },
  render: (data) => {
    if (data === undefined) return emptyState('This is not the profile of a scheduled task.')
    const { name, pattern, library, stillRunning } = data
    return html`${keyValueTable([
      ['Task', html`<code>${name}</code>`],
      ['Pattern', html`<code>${pattern}</code> (${library})`],
      ['Started', start(data)],
      ['Next run', data.nextAt === null ? 'none' : instant(data.nextAt)],
    ])}
    ${
      stillRunning === 0
        ? null
        : html`<p class="note tone-warning">
            ${countOf(stillRunning, 'earlier run')} of the task had not ended when this one began.
          </p>`
    }
    ${skippedList(data)}`
  },
}

function start({ reason, dueAt, lateMs }: TaskData): SafeHtml | string {
  if (reason === 'invoked') return 'by the application itself'
  if (dueAt === null || lateMs === null) return 'by its schedule'
  return html`${formatDuration(lateMs)} after it was due, ${instant(dueAt)}`
}

function instant(time: number): SafeHtml {
  return html`<time datetime="${isoTime(time)}">${formatTime(time)}</time> UTC`
}

const reasons: Readonly<Record<SkippedRun['reason'], SafeHtml>> = {
  overlap: html`${badge('overlap', 'warning')} the run before it had not ended`,
  missed: html`${badge('missed', 'error')} the process was busy, or the library did not start it`,
}

function skippedList({ skipped, skippedMore }: TaskData): SafeHtml | null {
  if (skipped.length === 0) return null
  const rows = skipped.map(
    ({ dueAt, reason }) =>
      html`<tr>
        <td>${instant(dueAt)}</td>
        <td>${reasons[reason]}</td>
      </tr> `,
  )
  return html`<h3>Skipped since the run before</h3>
    <div class="table-scroll" tabindex="0" role="region" aria-label="Skipped runs">
      ${dataTable('skipped', 'Times at which the task did not run', ['Due', 'Why'], rows)}
    </div>
    ${skippedMore ? cutMark('Later ones were not kept.') : null}`
}
