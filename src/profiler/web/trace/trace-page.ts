// `/_profiler/trace?id=<trace id>`: the spans of all services on one axis; without an ID the newest traces of several requests.

import { parseQuery } from '../../../framework/http/query.ts'
import { readRecentTraces, type RecentTraces } from '../../traces/recent-traces.ts'
import { readTrace } from '../../traces/read-trace.ts'
import type { Trace } from '../../traces/trace.ts'
import { traceMarkdown } from '../../traces/trace-markdown.ts'
import { tracePart } from '../../traces/trace-rows.ts'
import { timelineStyles } from '../panels/timeline-bars.ts'
import type { ErrorJson, PageAnswer, PageTools, ProfilerPage } from '../profiler-page.ts'
import { fromStore } from '../unreadable-store.ts'
import { isTraceId, readTraceQuery, type TraceQuery } from './trace-query.ts'
import { recentTraces, recentTracesMarkdown, recentTracesStyles, traceForm } from './recent-traces-view.ts'
import { traceGridStyles, traceStyles, traceView } from './trace-view.ts'

/** Rows on a page. */
const maxRows = 200

export interface TraceJson extends Trace {
  readonly ignored: readonly string[]
}

/** Present if no trace is named. */
export interface RecentTracesJson extends RecentTraces {
  readonly ignored: readonly string[]
}

/** 400 for what is not an ID, 404 for a trace of which nothing is known. */
export const tracePage: ProfilerPage<TraceJson | RecentTracesJson> = async ({ request }, { options, linkTo }) => {
  const query = readTraceQuery(parseQuery(request.rawQuery))
  if (query.problems.length > 0) return problemPage(400, query.problems, query, options.profilerPath)
  if (query.id === '') return recentPage(query, options)
  const traceId = isTraceId(query.id) ? query.id : await traceOfProfile(query.id, options)
  if (traceId === null) {
    return problemPage(404, ['There is no such profile, or it is not part of a trace.'], query, options.profilerPath)
  }
  const trace = await fromStore(async () => readTrace(options.profiles, traceId))
  if (trace.spans.length === 0 && trace.lines.length === 0) {
    return problemPage(
      404,
      ['Nothing is known of this trace: it was not recorded here, or has expired.'],
      query,
      options.profilerPath,
    )
  }
  const part = tracePart(trace, query.span, maxRows)
  if (part === undefined) return problemPage(404, ['The trace has no such span.'], query, options.profilerPath)
  const before = Math.min(query.from, Math.max(1, part.rows.length)) - 1
  const rows = part.rows.slice(before, before + maxRows)
  const shown = { ...part, rows, before, after: part.rows.length - before - rows.length }
  return {
    ignored: query.ignored,
    missing: trace.missing,
    html: () => ({
      title: 'Trace',
      content: traceView(trace, { ...shown, span: query.span, profilerPath: options.profilerPath, linkTo }),
      styles: [timelineStyles, traceStyles, traceGridStyles(trace)],
    }),
    json: () => ({ ...trace, ignored: query.ignored }),
    markdown: () => traceMarkdown(trace, shown),
  }
}

async function traceOfProfile(token: string, { profiles }: PageTools['options']): Promise<string | null> {
  const { items } = await fromStore(async () => profiles.find({ token }, { limit: 1 }))
  return items[0]?.traceId ?? null
}

function problemPage(
  status: number,
  problems: readonly string[],
  query: TraceQuery,
  profilerPath: string,
): PageAnswer<ErrorJson> {
  return {
    status,
    problems,
    ignored: query.ignored,
    html: () => ({
      title: 'Trace',
      content: traceForm(query.id, profilerPath),
      styles: [traceStyles],
    }),
    json: () => ({ error: problems.join(' '), ignored: query.ignored }),
    markdown: () => '# Trace\n',
  }
}

async function recentPage(
  query: TraceQuery,
  { profiles, profilerPath }: PageTools['options'],
): Promise<PageAnswer<RecentTracesJson>> {
  const recent = await fromStore(async () => readRecentTraces(profiles))
  return {
    ignored: query.ignored,
    html: () => ({
      title: 'Traces',
      content: recentTraces(recent, profilerPath),
      styles: [traceStyles, recentTracesStyles],
    }),
    json: () => ({ ...recent, ignored: query.ignored }),
    markdown: () => recentTracesMarkdown(recent, profilerPath),
  }
}
