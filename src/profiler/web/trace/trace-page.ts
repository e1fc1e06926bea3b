// `/_profiler/trace?id=<trace id>`: the spans of all services on one axis; without an ID the newest traces of several requests.

import { parseQuery, type QueryFields } from '../../../framework/http/query.ts'
import { readTrace } from '../../traces/read-trace.ts'
import { traceMarkdown } from '../../traces/trace-markdown.ts'
import { tracePart } from '../../traces/trace-rows.ts'
import { timelineStyles } from '../panels/timeline-bars.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from '../profiler-page.ts'
import { traceGridStyles, traceStyles, traceView } from './trace-view.ts'
import { tokenPattern, spansMethod, type ProfileSummary } from '../../profile.ts'
import { quoted, readValues, unknownNames } from '../query-values.ts'
import { badge, emptyState, formatClock, formatCount } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { shortened, untrustedSpans } from '../../query/profile-facts.ts'
import { columnLines, columnStyles, columnTable, type Column } from '../columns.ts'
import { textField } from '../form-parts.ts'
import type { ProfileReader } from '../../profile-store.ts'
import type { ProfileFilter } from '../../query/filters.ts'

/** Rows on a page. */
const maxRows = 200

/** 400 for what is not an ID, 404 for a trace of which nothing is known. */
export const tracePage: ProfilerPage = async ({ request }, { options, linkTo }) => {
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

function problemPage(status: number, problems: readonly string[], query: TraceQuery, profilerPath: string): PageAnswer {
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

async function recentPage(query: TraceQuery, { profiles, profilerPath }: PageTools['options']): Promise<PageAnswer> {
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

interface TraceQuery {
  /** A trace ID in lower case, or the token of a profile; empty where none was named. */
  readonly id: string
  /** Only this span and what is inside it; `null` for the whole trace. */
  readonly span: string | null
  /** The first row, counted from 1. */
  readonly from: number
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  readonly ignored: readonly string[]
}

const labels = { id: 'Trace', span: 'Span', from: 'First row' } as const

function readTraceQuery(query: QueryFields): TraceQuery {
  const problems: string[] = []
  const values = readValues(query, labels, problems)
  const { misspelt, foreign } = unknownNames(query, Object.keys(labels))
  problems.push(...misspelt)
  const [id = '', span = '', from = ''] = ['id', 'span', 'from'].map((name) =>
    (values.get(name as keyof typeof labels) ?? '').toLowerCase(),
  )
  if (id !== '' && !isTraceId(id) && !tokenPattern.test(id)) {
    problems.push(`Trace: ${quoted(id)} is not a trace ID. Use 32 hex digits, or the token of a profile.`)
  }
  if (span !== '' && !/^[0-9a-f]{16}$/.test(span))
    problems.push(`Span: ${quoted(span)} is not a span ID. Use 16 hex digits.`)
  if (from !== '' && !/^[1-9]\d{0,5}$/.test(from)) {
    problems.push(`First row: ${quoted(from)} is not a number. Use 1 or more.`)
  }
  return { id, span: span === '' ? null : span, from: Number(from) || 1, problems, ignored: foreign }
}

function isTraceId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id)
}

const maxText = 160
const noTraces = 'No traces with several requests'

function scopeOf({ searchedNewest }: RecentTraces): string | null {
  return searchedNewest === undefined ? null : `Only the newest ${formatCount(searchedNewest)} requests were looked at.`
}

function emptyText(recent: RecentTraces): string {
  const scope = scopeOf(recent)
  return scope === null ? `${noTraces} yet.` : `${noTraces}. ${scope}`
}

function traceForm(id: string, profilerPath: string): SafeHtml {
  return html`<form class="row trace-form screen-only" action="${profilerPath}/trace">
    ${textField({ name: 'id', label: 'Trace ID, or token of a profile', value: id, hint: '4bf92f3577b34da6a3ce929d0e0e4736', className: 'wide' })}
    <button class="button">Show</button>
  </form>`
}

function traceColumns(profilerPath: string): readonly Column<RecentTrace>[] {
  return [
    {
      title: 'Root',
      text: ({ subject, hasError }) => `${subject}${hasError ? ', error' : ''}`,
      cell: ({ subject, traceId, hasError }) =>
        html`<a href="${profilerPath}/trace?id=${traceId}">${shortened(subject, maxText) || traceId}</a
          >${hasError ? html` ${badge('error', 'error')}` : null}`,
    },
    { title: 'Services', text: ({ services }) => shortened(services.join(', '), maxText) },
    { title: 'Requests', text: ({ count }) => formatCount(count), className: 'number' },
    { title: 'Time (UTC)', text: ({ time }) => formatClock(time) },
  ]
}

function recentTraces(recent: RecentTraces, profilerPath: string): SafeHtml {
  const { traces } = recent
  const scope = scopeOf(recent)
  const help = ' fetch and node:http pass the header traceparent on.'
  const table = columnTable(traceColumns(profilerPath), traces, {
    className: 'recent-traces',
    caption: 'Traces, newest first',
    tone: ({ hasError }) => (hasError ? 'error' : 'neutral'),
  })
  return html`${traceForm('', profilerPath)} ${traces.length === 0 ? emptyState(`${emptyText(recent)}${help}`) : table}
  ${traces.length === 0 || scope === null ? null : html`<p class="muted small">${scope}</p>`}`
}

function recentTracesMarkdown(recent: RecentTraces, profilerPath: string): string {
  const { traces } = recent
  const scope = scopeOf(recent)
  if (traces.length === 0) return `# Traces\n\n${emptyText(recent)}\n`
  const address: Column<RecentTrace> = {
    title: 'Address',
    text: ({ traceId }) => `${profilerPath}/trace.md?id=${traceId}`,
  }
  const lines = columnLines([...traceColumns(profilerPath), address], traces)
  return `# Traces\n\n${untrustedSpans}\n\n${lines.join('\n')}\n${scope === null ? '' : `\n${scope}\n`}`
}

const recentTracesStyles: SafeHtml = columnStyles('recent-traces', '40rem')

export interface RecentTrace {
  readonly traceId: string
  /** In the order in which they were found. */
  readonly services: readonly string[]
  /** Requests and batches of spans that are part of it, at most 2,000 of either. */
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

/** Looks for traces in the newest profiles, and asks the store for all that is part of each. */
async function readRecentTraces(profiles: Pick<ProfileReader, 'find'>): Promise<RecentTraces> {
  const [own, received] = await Promise.all([newestOf(profiles, {}), newestOf(profiles, { method: spansMethod })])
  const byTrace = Map.groupBy([...own.items, ...received.items], ({ traceId }) => traceId)
  const found = [...byTrace]
    .flatMap(([traceId, items]) => (traceId === null || items.length < 2 ? [] : [traceOf(traceId, items)]))
    .sort((one, other) => other.time - one.time)
    .slice(0, maxTraces)
  const traces = await Promise.all(
    found.map(async ({ traceId }) => {
      const parts = await Promise.all([
        newestOf(profiles, { traceId }),
        newestOf(profiles, { traceId, method: spansMethod }),
      ])
      return traceOf(
        traceId,
        parts.flatMap(({ items }) => items),
      )
    }),
  )
  return { traces, ...((own.isCut || received.isCut) && { searchedNewest: pageLength * maxPages }) }
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
    count: items.length,
    time: items.reduce((newest, { time }) => Math.max(newest, time), 0),
    subject: first === undefined ? '' : isReceived ? first.handler : `${first.method} ${first.url}`,
    hasError: items.some(({ findings, status }) => findings.includes('error') || status >= 500),
  }
}
