// Draws one run of a job: what it was given, how it ended, who added it and which other runs there are.

import {
  badge,
  emptyState,
  fold,
  formatDuration,
  formatTime,
  keyValueTable,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import type { DumpedValue } from '../../../framework/redact/redactor.ts'
import type { JobData, JobOutcome, JobRun } from '../../collectors/job.ts'
import { isoTime } from '../../query/profile-facts.ts'
import type { Panel, PanelView } from '../panel.ts'
import { plainTree, valueView } from './value-view.ts'

export const jobPanel: Panel<JobData> = {
  name: 'job',
  title: 'Job',
  of: 'jobs',
  badge: ({ outcome }) =>
    outcome === 'failed' || outcome === 'retried' ? { count: 1, tone: 'error', hint: 'failed' } : undefined,
  render: (data, view) => {
    if (data === undefined) return emptyState('This is not the profile of a job.')
    const { queue, name, id, library, attempt, maxAttempts, addedBy, runs = [] } = data
    const of = maxAttempts === null ? '' : ` of ${maxAttempts}`
    return html`${keyValueTable([
      ['Queue', html`<code>${queue}</code> (${library})`],
      ['Job', html`<code>${name}</code>, id <code>${id}</code>`],
      ['Ended', ending(data)],
      ['Attempt', attempt === null ? 'not known' : `${attempt}${of}`],
      ['Added', added(data)],
      [
        'Added by',
        addedBy === null
          ? 'no recorded request'
          : html`<a class="mono" href="${view.linkTo(addedBy, 'jobs')}">${addedBy}</a>`,
      ],
    ])}
    ${otherRuns(runs, view)} ${value('Data', data.data)} ${value('Result', data.result)}`
  },
}

const endings: Readonly<Record<JobOutcome, SafeHtml>> = {
  running: badge('still running'),
  completed: badge('completed', 'success'),
  failed: badge('failed', 'error'),
  retried: badge('failed, runs again', 'error'),
  moved: badge('put back into its queue'),
}

function ending({ outcome, retryDelayMs }: JobData): SafeHtml {
  const wait = retryDelayMs === null ? null : retryDelayMs === 0 ? ' at once' : ` in ${formatDuration(retryDelayMs)}`
  return html`${endings[outcome]}${wait}`
}

function added({ addedAt, waitedMs, delayMs }: JobData): SafeHtml | string {
  if (addedAt === null) return 'not known'
  const delay = delayMs === null || delayMs === 0 ? '' : `, with a delay of ${formatDuration(delayMs)}`
  const wait = waitedMs === null ? '' : `, ${formatDuration(waitedMs)} before this run`
  return html`<time datetime="${isoTime(addedAt)}">${formatTime(addedAt)}</time> UTC${wait}${delay}`
}

function otherRuns(runs: readonly JobRun[], view: PanelView): SafeHtml | null {
  if (runs.length < 2) return null
  return html`<h3>All runs of this job</h3>
    ${runLinks(runs, view)}`
}

/** The runs of a job, oldest first, with how each ended. */
export function runLinks(runs: readonly JobRun[], { profile, linkTo }: PanelView): SafeHtml {
  return html`<ol class="row headline-facts">
    ${runs.map(
      ({ token, status }) =>
        html`<li>
          ${token === profile.token ? html`<b class="mono">${token}</b>` : html`<a class="mono" href="${linkTo(token)}">${token}</a>`}
          ${badge(status === 200 ? 'done' : 'failed', status === 200 ? 'success' : 'error')}
        </li> `,
    )}
  </ol>`
}

function value(title: string, dumped: DumpedValue | null): SafeHtml | null {
  if (dumped === null) return null
  return fold(
    title,
    html`<div class="value" tabindex="0" role="group" aria-label="${title}">
      ${valueView(dumped.tree ?? plainTree(dumped.value))}
    </div>`,
    { isOpen: true },
  )
}
