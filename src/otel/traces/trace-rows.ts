// What of a trace is shown at a time: rows of spans, equal ones in a row together, and what is said of the whole.

import { counted, formatCount, formatDuration } from '../../base/html/components.ts'
import { gathered } from '../../profiles/trace-span.ts'
import type { PlacedSpan, Trace } from './read-trace.ts'

/** A span, or several equal ones that follow each other. */
export type TraceRow = readonly [PlacedSpan, ...PlacedSpan[]]

/** This many in a row become one row; fewer stay as they are. */
const leastRepeats = 5

/** Rows of a trace, or of one span and what is inside it. */
export interface ShownRows {
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
export function lanesOf(
  spans: readonly PlacedSpan[],
  totalMs: number,
): readonly (readonly [from: number, to: number])[] {
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
function isPlain({ inside, status, events, hasProfile, kind }: PlacedSpan): boolean {
  return inside === 0 && status !== 'error' && events.length === 0 && !(hasProfile && kind === 'server')
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
export function detailOf({ name, attributes }: Pick<PlacedSpan, 'name' | 'attributes'>): string {
  const { 'db.query.text': query, 'url.full': url, 'url.path': path, 'messaging.destination.name': queue } = attributes
  const found = [query, url, path, queue].find((value) => typeof value === 'string' && value !== '')
  const text = typeof found === 'string' ? found.replace(/^https?:\/\/[^/]*(?=\/)/, '') : ''
  return name.endsWith(text) ? '' : text
}

/** Why a span failed: its exception, else what its status says; `null` if nothing is said. */
export function failureOf({ status, statusMessage, events }: PlacedSpan): string | null {
  const thrown = events.findLast(({ name }) => name === 'exception')
  if (thrown !== undefined) {
    const { 'exception.type': type = '', 'exception.message': message = '' } = thrown.attributes
    return [type, message].filter((part) => part !== '').join(': ')
  }
  return status === 'error' ? statusMessage : null
}

/** `12 inside`, `12 inside, 1 error`. */
export function insideText({ inside, errorsInside }: PlacedSpan): string {
  return `${inside} inside${errorsInside === 0 ? '' : `, ${counted(errorsInside, 'error')}`}`
}

/** `3 services, 41 spans, 2 errors, 120 ms`. */
export function traceSummary({ services, spans, durationMs }: Trace): string {
  const errors = services.reduce((sum, { errorCount }) => sum + errorCount, 0)
  return [
    counted(services.length, 'service'),
    counted(spans.length, 'span'),
    ...(errors === 0 ? [] : [counted(errors, 'error')]),
    formatDuration(durationMs),
  ].join(', ')
}

/** Clocks that were corrected, parents that are missing, and what is not shown: a sentence each. `nameOf` writes a service. */
export function traceNotes(trace: Trace, nameOf: (service: string | null) => string): readonly string[] {
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
