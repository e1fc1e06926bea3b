// Whether the application is closed, when it will be, and when it was.

import { formatClock, formatCount, type Tone } from '../base/html/components.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { empty, facts, heading, note, recorded, text, wideTable } from '../observe/blocks/blocks.ts'
import type { Blocks, Head, Inline, Line } from '../observe/blocks/blocks.ts'
import type { ClosedFacts, LockFacts, LockProcess, PeriodFacts, WindowFacts } from '../profiles/lock.ts'
import { question, QuestionError, type Question } from '../pages/question.ts'

export const lock: Question = question({
  name: 'lock',
  label: 'Lock',
  title: () => 'Lock',
  about: 'show whether the application is closed',
  parameters: {},
  isThere: ({ lock: view }) => view !== undefined,
  ask: async ({ lock: view }) => {
    if (view === undefined)
      throw new QuestionError('This application has no lock: it is without the plugin maintenance().', 404)
    try {
      return await view.facts()
    } catch (error) {
      throw new QuestionError(
        `The lock cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        503,
        { cause: error },
      )
    }
  },
  tone: ({ isClosed }) => (isClosed ? 'warning' : 'neutral'),
  draw: lockBlocks,
})

export function lockBlocks(found: LockFacts): Blocks {
  return [
    ...lockState(found),
    text(['Store:', recorded(cutText(found.store, 200)), '· Change it with', { code: 'fanlight lock' }]),
    ...planned(found),
    ...parts('History', periods, found.history, 'The application was never closed.'),
    ...(found.processes === null ? [] : parts('Processes', processes, found.processes, 'No process has reported yet.')),
  ]
}

/** Whether the application is closed, and how. */
export function lockState(found: LockFacts): Blocks {
  return [
    note(lockSentence(found), found.isClosed ? 'warning' : 'success'),
    facts(
      'The lock',
      lockRows(found).map(([name, value]) => [name, recorded(cutText(value, 500))]),
    ),
  ]
}

/** What will be closed by plan, or is. */
export function planned({ windows }: Pick<LockFacts, 'windows'>): Blocks {
  return parts('Planned', plans, windows, 'Nothing is planned. Plan it with: fanlight lock plan --from … --to …')
}

/** A table: its heads, and what is in the columns of a row. */
interface Part<Row> {
  readonly name: string
  readonly noun: string
  readonly heads: readonly Head[]
  readonly cells: (row: Row) => readonly Line[]
}

function parts<Row>(
  title: string,
  { name, noun, heads, cells }: Part<Row>,
  rows: readonly Row[],
  none: string,
): Blocks {
  const table = wideTable(
    name,
    noun,
    heads,
    rows.map((row) => ({ cells: cells(row) })),
  )
  return [heading(title), rows.length === 0 ? empty(none) : table]
}

const windowTones: Readonly<Record<WindowFacts['state'], Tone>> = {
  planned: 'neutral',
  announced: 'info',
  active: 'warning',
}

const none: Inline = { quiet: 'none' }

const plans: Part<WindowFacts> = {
  name: 'When the application closes by plan',
  noun: 'plan',
  heads: ['Plan', 'From (UTC)', 'To (UTC)', { number: 'Lasts' }, 'Closes', 'Reason', 'By'],
  cells: (window) => {
    const { id, state, from, to, reason, overlaps, plannedBy } = window
    const others = overlaps.length === 0 ? '' : `overlaps with ${overlaps.join(', ')}`
    return [
      [recorded(id), { mark: state, tone: windowTones[state] }],
      clock(from),
      clock(to),
      lastedText(Date.parse(to) - Date.parse(from)),
      recorded(closesText(window)),
      recorded([reason, others].filter(Boolean).join('; ')) ?? none,
      recorded(plannedBy) ?? none,
    ]
  },
}

const periods: Part<PeriodFacts> = {
  name: 'When the application was closed',
  noun: 'time',
  heads: [
    'From (UTC)',
    'To (UTC)',
    { number: 'Lasted' },
    { number: 'Turned away' },
    'Closed',
    'Reason',
    'By',
    'Opened by',
  ],
  cells: (period) => {
    const { from, to, isPlanned, durationMs, turnedAway, reason, closedBy, openedBy } = period
    return [
      `${clock(from)}${isPlanned ? ', planned' : ''}`,
      to === null ? { mark: 'still closed', tone: 'warning' } : clock(to),
      lastedText(durationMs),
      turnedAway === null ? { quiet: 'unknown' } : formatCount(turnedAway),
      recorded(closesText(period)),
      recorded(reason) ?? none,
      recorded(closedBy) ?? none,
      recorded(openedBy) ?? none,
    ]
  },
}

const processes: Part<LockProcess> = {
  name: 'Processes that the lock closes',
  noun: 'process',
  heads: ['Process', 'In sync', { number: 'Still running' }, 'Last heard (UTC)'],
  cells: ({ process, hasHeard, running, time: heard }) => [
    recorded(process),
    hasHeard ? 'yes' : { mark: 'not yet', tone: 'warning' },
    formatCount(running),
    formatClock(heard).slice(11),
  ],
}

function closesText({ only, readOnly }: ClosedFacts): string {
  return `${only === null ? 'everything' : only.join(' ')}${readOnly ? ' but for GET and HEAD' : ''}`
}

function clock(instant: string): string {
  return formatClock(Date.parse(instant))
}

/** `The application is closed until 2026-12-01 04:00:00 UTC.` */
function lockSentence({ isClosed, only, readOnly, opensAt, windows, now }: LockFacts): string {
  if (!isClosed) {
    const [next] = windows
    if (next === undefined) return 'The application is open: requests are served.'
    return `The application is open: requests are served. The next plan begins at ${time(Date.parse(next.from))}, in ${lastedText(Date.parse(next.from) - now)}.`
  }
  const closures = opensAt === null ? [{ only, readOnly }] : windows.filter(({ state }) => state === 'active')
  const isWhole = closures.some((closure) => closure.only === null && !closure.readOnly)
  const until = opensAt === null ? '' : ` until ${time(opensAt)}, for another ${lastedText(opensAt - now)}`
  return isWhole
    ? `The application is closed${until}: every request gets the maintenance page.`
    : `The application is closed in part${until}: other requests are served.`
}

/** Names and values; no markup. */
function lockRows(facts: LockFacts): readonly (readonly [name: string, value: string])[] {
  const { bootValue, sharedValue, isClosed, only, readOnly, reason, retryAfterSeconds, linkExpiresAt } = facts
  const { changedAt, changedBy } = facts
  return [
    ['Value', String(sharedValue)],
    ...(bootValue === 0 ? [] : [['APP_LOCK', `${bootValue}, whatever the store says`] as const]),
    ...(only === null && !readOnly ? [] : [['Closes', closesText(facts)] as const]),
    ...(reason === '' ? [] : [['Reason', reason] as const]),
    ...(retryAfterSeconds === null || !isClosed ? [] : [['Retry after', `${retryAfterSeconds} s`] as const]),
    ...(linkExpiresAt === null ? [] : [['Link until', time(Date.parse(linkExpiresAt))] as const]),
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
