// `/_profiler/lock`: whether the application is closed, when it will be, and when it was. Read only: the command line changes the lock.

import { codeSpan } from '../../../errors/markdown-text.ts'
import {
  type Tone,
  badge,
  emptyState,
  formatClock,
  formatCount,
  keyValueTable,
  section,
} from '../../../framework/html/components.ts'
import { type SafeHtml, html } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { ClosedFacts, LockFacts, LockProcess, PeriodFacts, WindowFacts } from '../../lock-facts.ts'
import { type Column, columnLines, columnStyles, columnTable } from '../columns.ts'
import type { PageAnswer, ProfilerPage } from '../profiler-page.ts'

const noLock = 'This application has no lock: it is without the plugin maintenance().'

/** Without a lock it says how to have one. */
export const lockPage: ProfilerPage = async (_exchange, { options: { lock } }) => {
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
      styles: lockStyles,
    }),
    json: () => facts,
    markdown: () => lockMarkdown(facts),
  }
}

function problemPage(error: string, status: number): PageAnswer {
  return {
    status,
    html: () => ({ title: 'Lock', content: emptyState(error) }),
    json: () => ({ error }),
    markdown: () => `# Lock\n\n${error}\n`,
  }
}

function lockContent(facts: LockFacts): SafeHtml {
  const { isClosed, windows, history, processes, store } = facts
  const unplanned = emptyState('Nothing is planned. Plan it with: fanlight lock plan --from … --to …')
  const unheard = emptyState('No process has reported yet.')
  const table = { className: 'lock-table' }
  const plans = columnTable(windowColumns, windows, { ...table, caption: 'When the application closes by plan' })
  const periods = columnTable(periodColumns, history, { ...table, caption: 'When the application was closed' })
  const known = columnTable(processColumns, processes ?? [], { ...table, caption: 'Processes that the lock closes' })
  return html`<p class="lock-state">
      ${badge(isClosed ? 'closed' : 'open', isClosed ? 'warning' : 'success')} ${lockSentence(facts)}
    </p>
    ${keyValueTable(
      lockRows(facts).map(([name, value]) => [name, cutText(value, 500)]),
      { caption: 'The lock' },
    )}
    ${section('planned', 'Planned', windows.length === 0 ? unplanned : plans)}
    ${section('history', 'History', history.length === 0 ? emptyState(neverClosed) : periods)}
    ${processes === null ? null : section('processes', 'Processes', processes.length === 0 ? unheard : known)}
    <p class="muted small lock-scope">
      Store time (${cutText(store, 200)}). Change it with <code>fanlight lock</code>.
    </p>`
}

const neverClosed = 'The application was never closed.'

const windowTones: Readonly<Record<WindowFacts['state'], Tone>> = {
  planned: 'neutral',
  announced: 'info',
  active: 'warning',
}

const windowColumns: readonly Column<WindowFacts>[] = [
  {
    title: 'Plan',
    text: ({ id, state }) => `${id} ${state}`,
    cell: ({ id, state }) => html`${id} ${badge(state, windowTones[state])}`,
  },
  { title: 'From (UTC)', text: ({ from }) => clock(from), className: 'nowrap' },
  { title: 'To (UTC)', text: ({ to }) => clock(to), className: 'nowrap' },
  { title: 'Lasts', text: ({ from, to }) => lastedText(Date.parse(to) - Date.parse(from)), className: 'number' },
  { title: 'Closes', text: closesText },
  {
    title: 'Reason',
    text: ({ reason, overlaps }) =>
      [reason, overlaps.length === 0 ? '' : `overlaps with ${overlaps.join(', ')}`].filter(Boolean).join('; ') || null,
  },
  { title: 'By', text: ({ plannedBy }) => plannedBy || null },
]

const periodColumns: readonly Column<PeriodFacts>[] = [
  {
    title: 'From (UTC)',
    text: ({ from, isPlanned }) => `${clock(from)}${isPlanned ? ', planned' : ''}`,
  },
  {
    title: 'To (UTC)',
    text: ({ to }) => (to === null ? 'still closed' : clock(to)),
    cell: ({ to }) => (to === null ? badge('still closed', 'warning') : clock(to)),
  },
  { title: 'Lasted', text: ({ durationMs }) => lastedText(durationMs), className: 'number' },
  {
    title: 'Turned away',
    text: ({ turnedAway }) => (turnedAway === null ? null : formatCount(turnedAway)),
    none: 'unknown',
    className: 'number',
  },
  { title: 'Closed', text: closesText },
  { title: 'Reason', text: ({ reason }) => reason || null },
  { title: 'By', text: ({ closedBy }) => closedBy || null },
  { title: 'Opened by', text: ({ openedBy }) => openedBy || null },
]

const processColumns: readonly Column<LockProcess>[] = [
  { title: 'Process', text: ({ process }) => process },
  {
    title: 'In sync',
    text: ({ hasHeard }) => (hasHeard ? 'yes' : 'not yet'),
    cell: ({ hasHeard }) => (hasHeard ? 'yes' : badge('not yet', 'warning')),
  },
  { title: 'Still running', text: ({ running }) => formatCount(running), className: 'number' },
  { title: 'Last heard (UTC)', text: ({ time }) => formatClock(time).slice(11) },
]

function closesText({ only, readOnly }: ClosedFacts): string {
  return `${only === null ? 'everything' : only.join(' ')}${readOnly ? ' but for GET and HEAD' : ''}`
}

function clock(instant: string): string {
  return formatClock(Date.parse(instant))
}

function lockMarkdown(facts: LockFacts): string {
  const { windows, history, processes } = facts
  const parts = [
    '# Lock',
    lockSentence(facts),
    lockRows(facts)
      .map(([name, value]) => `- ${name}: ${codeSpan(value)}`)
      .join('\n'),
    '## Planned',
    columnLines(windowColumns, windows).join('\n') || 'Nothing.',
    '## History',
    columnLines(periodColumns, history).join('\n') || neverClosed,
    ...(processes === null || processes.length === 0
      ? []
      : ['## Processes', columnLines(processColumns, processes).join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

const lockStyles: readonly SafeHtml[] = [
  columnStyles('lock-table', '56rem'),
  styleSheet(`
.lock-state { margin: var(--space-6) 0 var(--space-3) }
.lock-scope { margin: var(--space-4) 0 var(--space-8); max-width: 48rem }
`),
]

/** `The application is closed until 2026-12-01 04:00:00 UTC.` */
function lockSentence({ isClosed, only, readOnly, opensAt, windows, now }: LockFacts): string {
  if (!isClosed) {
    const [next] = windows
    if (next === undefined) return 'Requests are served.'
    return `Requests are served. The next plan begins at ${time(Date.parse(next.from))}, in ${lastedText(Date.parse(next.from) - now)}.`
  }
  const isWhole = only === null && !readOnly && opensAt === null
  const what = isWhole ? 'Every request gets the maintenance page' : 'Requests get the maintenance page'
  return opensAt === null ? `${what}.` : `${what} until ${time(opensAt)}, for another ${lastedText(opensAt - now)}.`
}

/** Names and values; no markup. */
function lockRows(facts: LockFacts): readonly (readonly [name: string, value: string])[] {
  const { bootValue, sharedValue, only, readOnly, reason, changedAt, changedBy } = facts
  return [
    ['Value', String(sharedValue)],
    ...(bootValue === 0 ? [] : [['APP_LOCK', String(bootValue)] as const]),
    ...(only === null ? [] : [['Closed in part', only.join(' ')] as const]),
    ...(readOnly ? [['GET and HEAD', 'are served'] as const] : []),
    ...(reason === '' ? [] : [['Reason', reason] as const]),
    [
      'Changed',
      Date.parse(changedAt) > 0
        ? `${time(Date.parse(changedAt))}${changedBy === '' ? '' : ` by ${changedBy}`}`
        : 'never',
    ],
  ]
}

const units: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** `2 h 5 min`, the two largest units. */
function lastedText(ms: number): string {
  const first = units.findIndex(([, size]) => ms >= size)
  if (first < 0) return '0 s'
  let rest = ms
  return units
    .slice(first, first + 2)
    .flatMap(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest %= size
      return count === 0 ? [] : [`${count} ${unit}`]
    })
    .join(' ')
}

function time(instant: number): string {
  return `${formatClock(instant)} UTC`
}
