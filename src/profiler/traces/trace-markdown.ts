// A trace as Markdown: for agents, terminals and tickets.

import { codeSpan } from '../../errors/markdown-text.ts'
import { counted, formatDuration } from '../../framework/html/components.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { isoTime, untrustedSpans } from '../query/profile-facts.ts'
import type { PlacedSpan, Trace, TraceLine, TraceService } from './trace.ts'
import {
  detailOf,
  failureOf,
  insideText,
  traceNotes,
  traceSummary,
  type TracePart,
  type TraceRow,
} from './trace-rows.ts'

const maxName = 120
const maxDetail = 200
/** Levels that the list is indented by at most; the depth is said beyond that. */
const maxIndent = 12

/** A window on the rows: how many there are before and after it. */
export interface ShownRows extends TracePart {
  readonly before: number
  readonly after: number
}

export function traceMarkdown(trace: Trace, { rows, baseDepth, isCut, before, after }: ShownRows): string {
  const notes = traceNotes(trace, serviceName).map((note) => `- ${note}`)
  const around = [
    ...(!isCut ? [] : ['What is inside the deepest of these spans is not shown: ask for a span.']),
    ...(before === 0 ? [] : [`${counted(before, 'row')} before these.`]),
    ...(after === 0 ? [] : [`${counted(after, 'row')} after these.`]),
  ]
  const parts = [
    `# Trace ${codeSpan(trace.traceId)}`,
    `${traceSummary(trace)}, from ${isoTime(trace.startTime)}`,
    untrustedSpans,
    trace.services.map(serviceLine).join('\n'),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    '## Spans',
    rows.map((row) => rowLine(row, baseDepth)).join('\n'),
    ...(around.length === 0 ? [] : [around.join(' ')]),
    ...(trace.lines.length === 0 ? [] : ['## Log lines without a span', trace.lines.map(logLine).join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function serviceName(service: string | null): string {
  return service === null ? 'an unnamed service' : codeSpan(cutText(service, maxName))
}

function serviceLine({ name, spanCount, errorCount }: TraceService): string {
  const errors = errorCount === 0 ? '' : `, ${counted(errorCount, 'error')}`
  return `- ${serviceName(name)}: ${counted(spanCount, 'span')}${errors}`
}

function rowLine(row: TraceRow, baseDepth: number): string {
  const [span] = row
  const depth = span.depth - baseDepth
  const { name, startMs, durationMs, service, hasProfile, token, kind, spanId } = span
  const detail = detailOf(span)
  const isRepeat = row.length > 1
  const sumMs = row.reduce((sum, one) => sum + one.durationMs, 0)
  const isDeep = depth > maxIndent
  return [
    `${'  '.repeat(Math.min(depth, maxIndent))}- ${isDeep ? `(depth ${depth}) ` : ''}${isRepeat ? `${row.length} × ` : ''}${codeSpan(cutText(name, maxName))}`,
    serviceName(service),
    `at ${formatDuration(startMs)} for ${formatDuration(isRepeat ? sumMs : durationMs)}${isRepeat ? ' in total' : ''}`,
    ...(detail === '' ? [] : [codeSpan(cutText(detail, maxDetail))]),
    ...failureLine(span),
    ...(span.parent === 'missing' ? ['its parent is not here'] : []),
    ...(hasProfile && kind === 'server' ? [`profile ${codeSpan(token)}`] : []),
    ...(span.inside === 0 ? [] : [`span ${codeSpan(spanId)} with ${insideText(span)}`]),
  ].join(' · ')
}

function failureLine(span: PlacedSpan): readonly string[] {
  const failure = failureOf(span)
  if (failure === null) return span.status === 'error' ? ['error'] : []
  return [`error ${codeSpan(cutText(failure, maxDetail))}`]
}

function logLine({ service, attributes, time }: TraceLine): string {
  const { 'log.severity': level = '', 'log.message': message = '' } = attributes
  return `- ${isoTime(time)} · ${serviceName(service)} · ${codeSpan(cutText(`${String(level)}: ${String(message)}`, maxDetail))}`
}
