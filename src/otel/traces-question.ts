// What all services did for one request; without its ID, the newest traces of several profiles.

import { counted, formatCount, formatDuration, formatClock, formatTime } from '../base/html/components.ts'
import { gathered } from '../profiles/trace-span.ts'
import { type PlacedSpan, type Trace, readTrace } from './traces/read-trace.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { detail, empty, facts, heading, idOf, note, recorded, text, wideTable } from '../observe/blocks/blocks.ts'
import type { Block, Blocks, Fact, Inline, Line, PageLink, Table } from '../observe/blocks/blocks.ts'
import type { ProfileReader } from '../profiles/profile-store.ts'
import { spansMethod, tokenPattern, type ProfileSummary } from '../observe/profile.ts'
import type { ProfileFilter } from '../profiles/query/filters.ts'
import { readNamedProfile } from '../profiles/query/named-profile.ts'
import { shortened, pathLine } from '../profiles/profile-facts.ts'
import { parameter, question, QuestionError, type Question, type QuestionSources } from '../pages/question.ts'

/** A span, or several equal ones that follow each other. */
type TraceRow = readonly [PlacedSpan, ...PlacedSpan[]]

/** This many in a row become one row; fewer stay as they are. */
const leastRepeats = 5

/** Rows of a trace, or of one span and what is inside it. */
interface ShownRows {
  readonly rows: readonly TraceRow[]
  /** Depth of the first row: rows are indented from there. */
  readonly baseDepth: number
  /** How many more there are. */
  readonly hidden: number
}

/** Rows that are shown at most. */
const maxRows = 200

/** `undefined`: the trace has no such span. */
export function shownRows({ spans }: Pick<Trace, 'spans'>, spanId: string | null): ShownRows | undefined {
  const first = spanId === null ? 0 : spans.findIndex((span) => span.spanId === spanId)
  if (first < 0) return undefined
  const root = spanId === null ? undefined : spans[first]
  const inside = root === undefined ? spans : spans.slice(first, first + 1 + root.inside)
  const all = gathered(inside, leastRepeats, isPlain, isAlike)
  return { rows: all.slice(0, maxRows), baseDepth: root?.depth ?? 0, hidden: Math.max(0, all.length - maxRows) }
}

/** Stretches closer than this share of the axis are drawn as one. */
const finest = 1 / 300

/** When they ran, in parts of the trace. */
function lanesOf(spans: readonly PlacedSpan[], totalMs: number): readonly (readonly [from: number, to: number])[] {
  const lanes: [number, number][] = []
  for (const { startMs, durationMs } of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const [from, to] = totalMs > 0 ? [startMs / totalMs, (startMs + durationMs) / totalMs] : [0, 1]
    const last = lanes.at(-1)
    if (last === undefined || from > last[1] + finest) lanes.push([from, to])
    else last[1] = Math.max(last[1], to)
  }
  return lanes
}

/** Nothing in it needs its own row. */
function isPlain(span: PlacedSpan): boolean {
  return span.inside === 0 && span.status !== 'error' && span.events.length === 0 && !isWholeProfile(span)
}

/** Whether it is a request, job, task or command with a profile, and not a part of one. */
function isWholeProfile({ hasProfile, token, attributes }: PlacedSpan): boolean {
  return hasProfile && attributes['fanlight.token'] === token
}

function isAlike(one: PlacedSpan, other: PlacedSpan): boolean {
  return (
    one.parentSpanId === other.parentSpanId &&
    one.depth === other.depth &&
    one.service === other.service &&
    one.name === other.name &&
    detailOf(one) === detailOf(other)
  )
}

/** What tells spans of one name apart: a statement, an address, a queue; empty if there is nothing. */
function detailOf({ name, attributes }: Pick<PlacedSpan, 'name' | 'attributes'>): string {
  const { 'db.query.text': query, 'url.full': url, 'url.path': path, 'messaging.destination.name': queue } = attributes
  const found = [query, url, path, queue].find((value) => typeof value === 'string' && value !== '')
  const text = typeof found === 'string' ? found.replace(/^https?:\/\/[^/]*(?=\/)/, '') : ''
  return name.endsWith(text) ? '' : text
}

/** What went wrong in a span: its exception, else what its status says; `null` if nothing is said. */
function failureOf({ status, statusMessage, events }: PlacedSpan): string | null {
  const thrown = events.findLast(({ name }) => name === 'exception')
  if (thrown !== undefined) {
    const { 'exception.type': type = '', 'exception.message': message = '' } = thrown.attributes
    return [type, message].filter((part) => part !== '').join(': ')
  }
  return status === 'error' ? statusMessage : null
}

/** `12 inside`, `12 inside, 1 error`. */
function insideText({ inside, errorsInside }: PlacedSpan): string {
  return `${inside} inside${errorsInside === 0 ? '' : `, ${counted(errorsInside, 'error')}`}`
}

/** `3 services, 41 spans, 2 errors, 120 ms`. */
function traceSummary({ services, spans, durationMs }: Trace): string {
  const errors = services.reduce((sum, { errorCount }) => sum + errorCount, 0)
  return [
    counted(services.length, 'service'),
    counted(spans.length, 'span'),
    ...(errors === 0 ? [] : [counted(errors, 'error')]),
    formatDuration(durationMs),
  ].join(', ')
}

/** Clocks that were corrected, parents that are missing, and what is not shown: a sentence each. `nameOf` writes a service. */
function traceNotes(trace: Trace, nameOf: (service: string | null) => string): readonly string[] {
  const { services, spans, leftOut } = trace
  const missing = spans.filter(({ parent }) => parent === 'missing').length
  const circles = spans.filter(({ parent }) => parent === 'circle').length
  const shifts = services.flatMap(({ name, clockShiftMs: ms }) =>
    ms === 0
      ? []
      : [
          `spans of ${nameOf(name)} are shown up to ${formatDuration(Math.abs(ms))} ${ms > 0 ? 'later' : 'earlier'} than it said`,
        ],
  )
  const lines = (count: number, sentence: string): readonly string[] => (count === 0 ? [] : [sentence])
  return [
    ...lines(shifts.length, `Clocks differ: ${shifts.join('; ')}.`),
    ...lines(
      missing,
      `${counted(missing, 'span names a parent', 'spans name a parent')} that is not here: it was not recorded, not sent, or has expired.`,
    ),
    ...lines(circles, `${counted(circles, 'span')} would be inside itself by what was sent; it is shown at the top.`),
    ...lines(
      leftOut.profiles,
      `${formatCount(leftOut.profiles)} more profiles and batches of spans belong to this trace and are not shown: at most 10,000 spans of 500 are.`,
    ),
    ...lines(leftOut.spans, `${formatCount(leftOut.spans)} more spans are not shown: at most 10,000 are.`),
    ...lines(
      leftOut.unrecordedSpans,
      `${counted(leftOut.unrecordedSpans, 'span was', 'spans were')} not recorded, or not kept when received.`,
    ),
    ...lines(leftOut.lines, `${counted(leftOut.lines, 'more log line')} not shown.`),
  ]
}

const idPattern = /^[0-9a-f]{32}$/

export const traces: Question = question({
  name: 'trace',
  label: 'Traces',
  title: ({ values: { id } }) => (id === null ? 'Traces' : 'Trace'),
  command: 'profiles trace',
  about: 'show what all services did for one request',
  parameters: {
    id: parameter<string | null>({
      label: 'Trace',
      help: 'trace ID, token of a profile, or "latest"',
      what: 'a trace ID',
      use: '32 hex digits, or the token of a profile',
      default: null,
      isArgument: true,
      field: { label: 'Trace ID, or token of a profile', hint: '4bf92f3577b34da6a3ce929d0e0e4736', button: 'Show' },
      read: (given) => {
        const id = given.toLowerCase()
        return idPattern.test(id) || tokenPattern.test(id) || id === 'latest' ? id : undefined
      },
    }),
    span: parameter<string | null>({
      label: 'Span',
      help: 'only this span and what is inside it',
      what: 'a span ID',
      use: '16 hex digits',
      default: null,
      read: (given) => (/^[0-9a-f]{16}$/i.test(given) ? given.toLowerCase() : undefined),
    }),
  },
  isOfOne: ({ values: { id } }) => id !== null,
  heading: (found: Trace | RecentTraces) => ('traces' in found ? undefined : found.spans[0]?.name),
  links: ({ values: { id, span } }) => {
    if (id === null) return []
    const all: PageLink = { page: 'trace', with: {}, text: 'All traces' }
    return span === null ? [all] : [all, { page: 'trace', with: { id }, text: 'Whole trace' }]
  },
  isThere: async ({ profiles }) => hasTraces(profiles),
  ask: async ({ profiles }, { values: { id, span } }): Promise<Trace | RecentTraces> => {
    if (id === null) return readRecentTraces(profiles)
    const trace = await readTrace(profiles, await traceIdOf(id, profiles))
    if (trace.spans.length === 0 && trace.lines.length === 0) {
      throw new QuestionError('Nothing is known of this trace: it was not recorded here, or has expired.', 404)
    }
    if (shownRows(trace, span) === undefined) throw new QuestionError('The trace has no such span.', 404)
    return trace
  },
  draw: (found, { values: { span } }) => ('traces' in found ? recentBlocks(found) : traceBlocks(found, span)),
})

async function traceIdOf(id: string, profiles: QuestionSources['profiles']): Promise<string> {
  if (idPattern.test(id)) return id
  const { traceId = null } = (await readNamedProfile(profiles, id)) ?? {}
  if (traceId !== null) return traceId
  throw new QuestionError('There is no such profile, or it is not part of a trace.', 404)
}

const maxText = 200

function traceBlocks(trace: Trace, spanId: string | null): Blocks {
  const { traceId, startTime, durationMs, services, lines } = trace
  const { rows = [], baseDepth = 0, hidden = 0 } = shownRows(trace, spanId) ?? {}
  const hasServices = services.length > 1
  const told = new Set<string>()
  const when = `From 0 to ${formatDuration(durationMs)}`
  return [
    text([{ trace: traceId }, `${traceSummary(trace)}, from ${formatTime(startTime)} UTC`]),
    ...traceNotes(trace, nameOf).map((sentence) => note(recorded(sentence))),
    ...(spanId === null ? [] : spanBlocks(trace, spanId)),
    ...(hasServices ? [...(spanId === null ? [] : [heading('Services')]), serviceTable(trace, when)] : []),
    ...(hasServices || spanId !== null ? [heading('Spans')] : []),
    wideTable(
      'Spans in the order they began, each below the one it is inside of',
      'span',
      ['Span', 'Service', { number: 'Start' }, { number: 'Duration' }, 'Kind', 'Profile', when],
      rows.map((row) => rowOf(row, baseDepth, trace, told)),
    ),
    text(
      hidden > 0 && `${counted(hidden, 'more row')} not shown: a span leads to what is inside it, and JSON has all.`,
    ),
    ...(lines.length === 0 ? [] : [heading('Log lines without a span (UTC)')]),
    {
      kind: 'list',
      items: lines.map(({ service, attributes, time }): Line => {
        const { 'log.severity': level = '', 'log.message': message = '' } = attributes
        return [
          formatTime(time),
          recorded(nameOf(service)),
          recorded(cutText(`${String(level)}: ${String(message)}`, maxText)),
        ]
      }),
    },
  ]
}

function serviceTable(trace: Trace, when: string): Block {
  const { services, spans } = trace
  const rows = services.map(({ name, spanCount, errorCount }) => {
    const own = spans.filter(({ service }) => service === name)
    const first = own.reduce((least, { startMs }) => Math.min(least, startMs), Infinity)
    const counts = [formatCount(spanCount), formatCount(errorCount), formatDuration(first)]
    return { cells: [recorded(nameOf(name)), ...counts, laneOf(trace, own, name)] }
  })
  const heads = ['Service', { number: 'Spans' }, { number: 'Errors' }, { number: 'First' }, when]
  return wideTable('Services', 'service', heads, rows)
}

function laneOf({ services, durationMs }: Trace, of: readonly PlacedSpan[], service: string | null): Inline {
  return { lane: lanesOf(of, durationMs), series: services.findIndex(({ name }) => name === service) }
}

function nameOf(service: string | null): string {
  return service === null ? 'an unnamed service' : cutText(service, maxText)
}

/** Attributes and events of one span, at most. */
const maxFacts = 100
const maxValue = 1000

/** What is known of the span that is looked at. */
function spanBlocks({ traceId, spans }: Trace, spanId: string): Blocks {
  const span = spans.find((one) => one.spanId === spanId)
  if (span === undefined) return []
  const { service, name, kind, startMs, durationMs, status, statusMessage, token, hasProfile, events } = span
  const parent = spans.find((one) => one.spanId === span.parentSpanId)
  const attributes = Object.entries(span.attributes)
  const more = Math.max(0, attributes.length - maxFacts) + Math.max(0, events.length - maxFacts)
  return [
    heading('Span'),
    facts('Span', [
      ['Name', recorded(cutText(name, maxText))],
      ...(parent === undefined
        ? []
        : [
            [
              'Inside',
              { page: 'trace', with: { id: traceId, span: parent.spanId }, text: shortened(parent.name, 60) },
            ] as const,
          ]),
      ['Service', recorded(nameOf(service))],
      ['Kind', kind],
      ['Start', formatDuration(startMs)],
      ['Duration', formatDuration(durationMs)],
      ['Status', [status, recorded(statusMessage && cutText(statusMessage, maxValue))]],
      ...(hasProfile ? [['Profile', { profile: token }] as const] : []),
      ...attributes.slice(0, maxFacts).map(factOf),
    ]),
    ...events.slice(0, maxFacts).map((event) => {
      const title = `Event ${cutText(event.name, 60)}`
      const all = [['Time (UTC)', formatTime(event.time)] as const, ...Object.entries(event.attributes).map(factOf)]
      return facts(title, all)
    }),
    text(more > 0 && `${counted(more, 'more attribute or event', 'more attributes and events')} not shown.`),
  ]
}

function factOf([key, value]: readonly [string, unknown]): Fact {
  return [{ recorded: cutText(key, maxText) }, recorded(cutText(String(value), maxValue))]
}

/** `told`: failures of rows above, which are not said again. */
function rowOf(row: TraceRow, baseDepth: number, trace: Trace, told: Set<string>): Table['rows'][number] {
  const [span] = row
  const { depth, name, service, startMs, status, inside, parent, spanId, kind, token, events } = span
  const failure = failureOf(span)
  // A 404 that was thrown is no error of the service: its status is not one.
  const isFailed = status === 'error'
  const isTold = failure === null || told.has(failure)
  if (failure !== null) told.add(failure)
  const lines = events.filter((event) => event.name === 'log').length
  return {
    depth: depth - baseDepth,
    tone: isFailed ? 'error' : 'neutral',
    cells: [
      [
        row.length > 1 ? `${row.length} ×` : null,
        { page: 'trace', with: { id: trace.traceId, span: spanId }, text: cutText(name, maxText) || 'unnamed' },
        recorded(shortened(detailOf(span), maxText)),
        idOf(spanId),
        inside === 0 ? null : `(${insideText(span)})`,
        parent === 'missing' ? { mark: 'parent missing', tone: 'warning' } : null,
        parent === 'circle' ? { mark: 'inside itself', tone: 'warning' } : null,
        lines === 0 ? null : counted(lines, 'log line'),
        isTold && isFailed ? { mark: 'error', tone: 'error' } : null,
        isTold ? null : isFailed ? { failure: cutText(failure, maxText) } : recorded(cutText(failure, maxText)),
      ],
      trace.services.length > 1 ? recorded(nameOf(service)) : null,
      formatDuration(startMs),
      formatDuration(row.reduce((sum, { durationMs }) => sum + durationMs, 0)),
      kind === 'internal' ? null : kind,
      isWholeProfile(span) ? { profile: token } : '',
      laneOf(trace, row, service),
    ],
  }
}

function recentBlocks({ traces: found, searchedNewest }: RecentTraces): Blocks {
  const scope =
    searchedNewest === undefined ? '' : `Only the newest ${formatCount(searchedNewest)} profiles were looked at.`
  if (found.length === 0) {
    const none = `No traces with several profiles${scope === '' ? ' yet.' : `. ${scope}`}`
    return [empty(`${none} fetch and node:http pass the header traceparent on.`)]
  }
  return [
    text(scope !== '' && scope),
    wideTable(
      'Traces, newest first',
      'trace',
      ['Root', 'Services', { number: 'Profiles' }, 'Time (UTC)'],
      found.map(({ subject, traceId, hasError, services, count, time }) => ({
        tone: hasError ? 'error' : 'neutral',
        cells: [
          [
            { page: 'trace', with: { id: traceId }, text: shortened(subject, maxText) || traceId },
            hasError ? { mark: 'error', tone: 'error' } : null,
            detail('id', recorded(traceId)),
          ],
          recorded(shortened(services.join(', '), maxText)),
          count === 0 ? null : formatCount(count),
          formatClock(time),
        ],
      })),
    ),
  ]
}

export interface RecentTrace {
  readonly traceId: string
  /** In the order in which they were found. */
  readonly services: readonly string[]
  /** Profiles that are part of it, without batches of spans of other services, of those that were looked at. */
  readonly count: number
  /** When the newest of them began, milliseconds since 1970. */
  readonly time: number
  /** What the earliest of them is about: `GET http://127.0.0.1:8000/cart`, or the name of a span. */
  readonly subject: string
  readonly hasError: boolean
}

export interface RecentTraces {
  /** The newest first, at most 25. */
  readonly traces: readonly RecentTrace[]
  /** How many of the newest profiles traces were looked for in, if there are older ones. */
  readonly searchedNewest?: number
}

const maxTraces = 25
const pageLength = 200
const maxPages = 10

/** Looks for traces in the newest profiles, and the newest batches of spans. */
async function readRecentTraces(profiles: Pick<ProfileReader, 'find'>): Promise<RecentTraces> {
  const [own, received] = await Promise.all([newestOf(profiles, {}), newestOf(profiles, { method: spansMethod })])
  const byTrace = Map.groupBy([...own.items, ...received.items], ({ traceId }) => traceId)
  const traces = [...byTrace]
    .flatMap(([traceId, items]) => (traceId === null || items.length < 2 ? [] : [traceOf(traceId, items)]))
    .sort((one, other) => other.time - one.time)
  return {
    traces: traces.slice(0, maxTraces),
    ...((own.isCut || received.isCut) && { searchedNewest: pageLength * maxPages }),
  }
}

/** Whether some of the newest requests are part of one trace, or another service sent spans. */
async function hasTraces(profiles: Pick<ProfileReader, 'find'>): Promise<boolean> {
  const [own, received] = await Promise.all([
    profiles.find({}, { limit: 100 }),
    profiles.find({ method: spansMethod }, { limit: 1 }),
  ])
  const ids = own.items.flatMap(({ traceId }) => traceId ?? [])
  return received.items.length > 0 || new Set(ids).size < ids.length
}

async function newestOf(
  profiles: Pick<ProfileReader, 'find'>,
  filter: ProfileFilter,
): Promise<{ readonly items: readonly ProfileSummary[]; readonly isCut: boolean }> {
  const items: ProfileSummary[] = []
  let after: string | null | undefined
  for (let page = 0; page < maxPages && after !== null; page += 1) {
    const found = await profiles.find(filter, { limit: pageLength, ...(after !== undefined && { after }) })
    items.push(...found.items)
    after = found.next
  }
  return { items, isCut: after !== null }
}

function traceOf(traceId: string, items: readonly ProfileSummary[]): RecentTrace {
  const [first] = items.toSorted((one, other) => one.time - other.time)
  const isReceived = first?.method === spansMethod
  return {
    traceId,
    services: [...new Set(items.flatMap(({ service }) => service ?? []))],
    count: items.filter(({ method }) => method !== spansMethod).length,
    time: items.reduce((newest, { time }) => Math.max(newest, time), 0),
    subject: first === undefined ? '' : isReceived ? first.handler : pathLine(first),
    hasError: items.some(({ findings, status }) => findings.includes('error') || status >= 500),
  }
}
