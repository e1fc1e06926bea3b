// `/_profiler/lock`: whether the application is closed, when it will be, and when it was. Read only: the command line changes the lock.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { badge, columnHead, dataTable, emptyState, formatTime, type Tone } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { ClosedFacts, LockFacts, LockProcess, PeriodFacts, WindowFacts } from '../../lock-facts.ts'
import type { ErrorJson, PageAnswer, ProfilerPage } from '../profiler-page.ts'
import { lastedText, lockSentence, lockRows } from './lock-text.ts'

const noLock = 'This application has no lock. Add maintenance() to its plugins.'

/** Without a lock it says how to have one. */
export const lockPage: ProfilerPage<LockFacts> = async (_exchange, { options: { lock } }) => {
  if (lock === undefined) return problemPage(noLock, 404)
  let facts: LockFacts
  try {
    facts = await lock.facts()
  } catch (error) {
    return problemPage(`The lock cannot be read: ${error instanceof Error ? error.message : String(error)}`, 503)
  }
  return {
    html: () => ({
      title: 'Lock',
      tone: facts.isClosed ? 'warning' : 'neutral',
      content: lockContent(facts),
      styles: [lockStyles],
    }),
    json: () => facts,
    markdown: () => lockMarkdown(facts),
  }
}

function problemPage(error: string, status: number): PageAnswer<ErrorJson> {
  return {
    status,
    html: () => ({ title: 'Lock', content: emptyState(error) }),
    json: () => ({ error }),
    markdown: () => `# Lock\n\n${error}\n`,
  }
}

export function lockContent(facts: LockFacts): SafeHtml {
  const { windows, history, processes } = facts
  return html`<p class="lock-state">
      ${badge(facts.isClosed ? 'closed' : 'open', facts.isClosed ? 'warning' : 'success')} ${lockSentence(facts)}
    </p>
    <table class="table facts">
      <caption class="visually-hidden">
        The lock
      </caption>
      <tbody>
        ${lockRows(facts).map(
          ([name, value]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${cutText(value, 500)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
    ${section('planned', 'Planned', windows.length === 0 ? emptyState('Nothing is planned. fanlight lock plan closes the application by itself.') : windowTable(windows))}
    ${section('history', 'History', history.length === 0 ? emptyState('The application was never closed.') : historyTable(history))}
    ${processes === null ? null : section('processes', 'Processes', processes.length === 0 ? emptyState('No process has reported yet.') : processTable(processes))}
    <p class="muted small lock-scope">
      Times are UTC, by the clock of the store (${cutText(facts.store, 200)}). This page changes nothing; the command
      line does: <code>fanlight lock --help</code>.
    </p>`
}

function section(id: string, title: string, content: SafeHtml): SafeHtml {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`
}

const windowTones: Readonly<Record<WindowFacts['state'], Tone>> = {
  planned: 'neutral',
  announced: 'info',
  active: 'warning',
}

function windowTable(windows: readonly WindowFacts[]): SafeHtml {
  return dataTable(
    'lock-table',
    'When the application closes by plan',
    ['Plan', 'From', 'To', columnHead('Lasts', 'number'), 'Closes', 'Reason', 'By'],
    windows.map(
      (window) =>
        html`<tr>
          <th scope="row">${window.id} ${badge(window.state, windowTones[window.state])}</th>
          <td data-label="from">${clock(window.from)}</td>
          <td data-label="to">${clock(window.to)}</td>
          <td class="number" data-label="lasts">${lastedText(Date.parse(window.to) - Date.parse(window.from))}</td>
          <td data-label="closes">${closes(window)}</td>
          <td data-label="reason">
            ${textOrNone(window.reason)}
            ${window.overlaps.length === 0 ? null : html`<div class="muted small">Overlaps ${window.overlaps.join(', ')}.</div>`}
          </td>
          <td data-label="by">${textOrNone(window.plannedBy)}</td>
        </tr> `,
    ),
  )
}

function historyTable(history: readonly PeriodFacts[]): SafeHtml {
  return dataTable(
    'lock-table',
    'When the application was closed',
    ['From', 'To', columnHead('Lasted', 'number'), columnHead('Turned away', 'number'), 'Closed', 'Reason', 'By'],
    history.map(
      (period) =>
        html`<tr>
          <th scope="row">
            ${clock(period.from)} ${period.isPlanned ? html`<span class="muted small">planned</span>` : null}
          </th>
          <td data-label="to">
            ${period.to === null ? badge('still closed', 'warning') : clock(period.to)}
            ${period.openedBy === '' ? null : html`<div class="muted small">by ${cutText(period.openedBy, 120)}</div>`}
          </td>
          <td class="number" data-label="lasted">${lastedText(period.durationMs)}</td>
          <td class="number" data-label="turned away">
            ${period.turnedAway ?? html`<span class="muted">unknown</span>`}
          </td>
          <td data-label="closed">${closes(period)}</td>
          <td data-label="reason">${textOrNone(period.reason)}</td>
          <td data-label="by">${textOrNone(period.closedBy)}</td>
        </tr> `,
    ),
  )
}

function processTable(processes: readonly LockProcess[]): SafeHtml {
  return dataTable(
    'lock-table',
    'Processes that the lock closes',
    ['Process', 'Knows the lock', columnHead('Requests from before', 'number'), 'Last heard'],
    processes.map(
      ({ process, hasHeard, running, time }) =>
        html`<tr>
          <th scope="row">${cutText(process, 120)}</th>
          <td data-label="knows the lock">${hasHeard ? 'yes' : badge('not yet', 'warning')}</td>
          <td class="number" data-label="requests from before">${running}</td>
          <td data-label="last heard">${formatTime(time).slice(11, 19)}</td>
        </tr> `,
    ),
  )
}

function closes({ only, readOnly }: ClosedFacts): SafeHtml {
  return html`${only === null ? 'everything' : only.map((target) => html`<code>${cutText(target, 200)}</code> `)}${readOnly ? ' but for GET and HEAD' : null}`
}

function textOrNone(text: string): SafeHtml {
  return text === '' ? html`<span class="muted">none</span>` : html`${cutText(text, 500)}`
}

function clock(instant: string): string {
  return formatTime(Date.parse(instant)).slice(0, 19)
}

function lockMarkdown(facts: LockFacts): string {
  const windows = facts.windows.map(
    (window) =>
      `- ${codeSpan(window.id)} ${window.state}: ${window.from} to ${window.to}, closes ${closesLine(window)}${reasonLine(window.reason)}`,
  )
  const history = facts.history.map(
    ({ from, to, turnedAway, durationMs, closedBy, reason, ...closed }) =>
      `- ${from} to ${to ?? 'now'}, ${lastedText(durationMs)}: closed ${closesLine(closed)}, turned away ${turnedAway ?? 'an unknown number'}, by ${codeSpan(closedBy)}${reasonLine(reason)}`,
  )
  const processes = (facts.processes ?? []).map(
    ({ process, hasHeard, running }) =>
      `- ${codeSpan(process)}: ${hasHeard ? 'knows the lock' : 'has not heard of the lock yet'}, requests from before: ${running}`,
  )
  return `${[
    '# Lock',
    lockSentence(facts),
    lockRows(facts)
      .map(([name, value]) => `- ${name}: ${codeSpan(value)}`)
      .join('\n'),
    '## Planned',
    windows.length === 0 ? 'Nothing.' : windows.join('\n'),
    '## History',
    history.length === 0 ? 'The application was never closed.' : history.join('\n'),
    ...(processes.length === 0 ? [] : ['## Processes', processes.join('\n')]),
  ].join('\n\n')}\n`
}

function closesLine({ only, readOnly }: ClosedFacts): string {
  const what = only === null ? 'everything' : only.map(codeSpan).join(' ')
  return readOnly ? `${what} but for GET and HEAD` : what
}

function reasonLine(reason: string): string {
  return reason === '' ? '' : `, reason: ${codeSpan(reason)}`
}

const lockStyles: SafeHtml = styleSheet(`
.lock-state { margin: var(--space-6) 0 var(--space-3) }
.lock-table :is(th, td) { font-size: var(--size-small); overflow-wrap: anywhere }
.lock-scope { margin: var(--space-4) 0 var(--space-8); max-width: 48rem }
@media (max-width: 56rem) {
  .lock-table thead { display: none }
  .lock-table, .lock-table tbody { display: block }
  .lock-table tr { display: grid; grid-template-columns: 1fr; gap: 0; padding: var(--space-2) var(--space-3); border-bottom: 1px solid var(--line) }
  .lock-table :is(th, td) { border: 0 !important; padding: 0 !important; text-align: left !important; box-shadow: none !important }
  .lock-table td::before { content: attr(data-label) ":\\00a0"; color: var(--muted) }
}
`)
