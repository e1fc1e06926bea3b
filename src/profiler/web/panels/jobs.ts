// Draws the jobs that the request added to queues, with what became of them.

import { columnHead, dataTable, emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { placeLink } from '../../../errors/page/editor-link.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import type { JobsData } from '../../collectors/jobs.ts'
import { keptMark } from '../notes.ts'
import type { Panel, PanelView } from '../panel.ts'
import { runLinks } from './job.ts'

const listBytes = 500_000

export const jobsPanel: Panel<JobsData> = {
  name: 'jobs',
  title: 'Jobs',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const failed = entries.filter(({ error }) => error !== null).length
    const count = entries.reduce((sum, entry) => sum + entry.count, dropped)
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} could not be added` }
    return { count, tone: 'neutral', hint: countOf(count, 'job') }
  },
  render: (data, view) => {
    if (data === undefined) {
      return emptyState('No job was added to a queue. Pass your BullMQ queues and workers to observe().')
    }
    const { entries, dropped } = data
    const budget = new PageBudget(listBytes)
    const row = (entry: JobsData['entries'][number]): SafeHtml => budget.spend(jobRow(entry, view))
    const rest = (missing: number): SafeHtml =>
      html`<tr>
        <td colspan="4">${countOf(missing, 'more call')} not shown.</td>
      </tr>`
    return html`${keptMark(entries.length, dropped, 'calls')}
      <div class="table-scroll" tabindex="0" role="region" aria-label="Jobs">
        ${dataTable(
          'jobs',
          'Jobs that were added',
          [columnHead('Start', 'number'), columnHead('Time', 'number'), 'Job', 'Runs'],
          budget.list(entries, row, { rest }),
        )}
      </div>`
  },
}

function jobRow(entry: JobsData['entries'][number], view: PanelView): SafeHtml {
  const { startMs, durationMs, names, count, queue, library, ids, delayMs, callSite, error, runs = [] } = entry
  return html`<tr>
    <td class="number">${formatDuration(startMs)}</td>
    <td class="number">${durationMs === null ? '–' : formatDuration(durationMs)}</td>
    <td>
      ${count === 1 ? null : html`<b>${count} ×</b> `}<code>${names.join(', ')}</code>
      ${ids.length === 0 ? null : html`<span class="small">id <code>${ids.join(', ')}</code></span>`}
      <span class="muted small"
        >to
        <code>${queue}</code>
        (${library})${delayMs === null || delayMs === 0 ? null : `, begins ${formatDuration(delayMs)} later`}${callSite === null ? null : html` · ${placeLink(callSite, view.editor)}`}</span
      >
      ${error === null ? null : html`<p class="note tone-error">${error}</p>`}
    </td>
    <td>${runs.length === 0 ? html`<span class="muted small">none yet</span>` : runLinks(runs, view)}</td>
  </tr> `
}
