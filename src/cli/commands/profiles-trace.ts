// `fanlight profiles trace`: what all services did for one request.

import { formatDuration } from '../../framework/html/components.ts'
import type { Engine } from '../../stores/engine.ts'
import { readTrace } from '../../profiler/traces/read-trace.ts'
import type { Trace } from '../../profiler/traces/trace.ts'
import {
  detailOf,
  failureOf,
  insideText,
  traceNotes,
  tracePart,
  traceSummary,
  type TraceRow,
} from '../../profiler/traces/trace-rows.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../command.ts'
import { tableLines, visibleText, type Column } from '../terminal.ts'
import { findProfile } from './profiles-show.ts'

export interface ProfileTraceOptions {
  readonly span?: string
  readonly json?: true
}

/** Rows that are printed, deeper spans left out if there are more. */
const maxRows = 200

/**
 * Prints a trace by its ID, or that of a profile. Throws a CliError (3) for a trace of which nothing is known, for a profile
 * without one, and for a span that is not in it.
 */
export async function printTrace(cli: Cli, engine: Engine, id: string, options: ProfileTraceOptions): Promise<void> {
  const trace = await readTrace(engine.profiles, await traceIdOf(cli, engine, id))
  cli.noteMissing(trace.missing)
  if (trace.spans.length === 0 && trace.lines.length === 0) {
    throw new CliError(`nothing is known of trace ${trace.traceId} in ${engine.name}`, exitCodes.notFound)
  }
  const span = options.span?.toLowerCase() ?? null
  const part = tracePart(trace, span, maxRows)
  if (part === undefined) {
    throw new CliError(`the trace has no span ${JSON.stringify(options.span?.slice(0, 40))}`, exitCodes.notFound)
  }
  if (options.json === true) return cli.terminal.json(trace)
  const notes = traceNotes(trace, (service) => service ?? 'an unnamed service')
  const rows = part.rows.slice(0, maxRows)
  const more = [
    ...(part.isCut ? ['What is inside the deepest of these spans is not shown: --span <id> looks into one.'] : []),
    ...(part.rows.length > maxRows ? [`${part.rows.length - maxRows} more rows are not shown: use --json.`] : []),
  ]
  cli.terminal.lines([
    `Trace ${trace.traceId}: ${traceSummary(trace)}`,
    ...notes.map((note) => cli.terminal.tone('warning', visibleText(note))),
    ...tableLines(cli.terminal, columnsOf(trace, part.baseDepth), rows),
    ...more.map((line) => cli.terminal.tone('quiet', line)),
  ])
}

async function traceIdOf(cli: Cli, engine: Engine, id: string): Promise<string> {
  if (/^[0-9a-f]{32}$/i.test(id)) return id.toLowerCase()
  const profile = await findProfile(cli, engine, id)
  if (profile.traceId !== null) return profile.traceId
  throw new CliError(`profile ${profile.token} is not part of a trace`, exitCodes.notFound)
}

function columnsOf({ services }: Trace, baseDepth: number): readonly Column<TraceRow>[] {
  return [
    { title: 'start', cell: ([{ startMs }]) => formatDuration(startMs), align: 'right' },
    {
      title: 'duration',
      cell: (row) => formatDuration(row.reduce((sum, { durationMs }) => sum + durationMs, 0)),
      align: 'right',
    },
    ...(services.length > 1
      ? [{ title: 'service', cell: ([{ service }]: TraceRow) => service ?? '', isFlexible: true }]
      : []),
    {
      title: 'span',
      cell: (row) => `${'  '.repeat(Math.min(row[0].depth - baseDepth, 20))}${textOf(row)}`,
      isFlexible: true,
      tone: ([{ status }]) => (status === 'error' ? 'bad' : undefined),
    },
    { title: 'id', cell: ([{ spanId }]) => spanId },
  ]
}

function textOf(row: TraceRow): string {
  const [span] = row
  const failure = failureOf(span)
  const detail = detailOf(span)
  return [
    ...(row.length > 1 ? [`${row.length} ×`] : []),
    span.name.replaceAll('\n', ' '),
    ...(detail === '' ? [] : [detail.replaceAll('\n', ' ').slice(0, 100)]),
    ...(failure === null ? [] : [`error: ${failure.replaceAll('\n', ' ').slice(0, 100)}`]),
    ...(span.inside === 0 ? [] : [`(${insideText(span)})`]),
    ...(span.parent === 'missing' ? ['(its parent is not here)'] : []),
  ].join(' ')
}
