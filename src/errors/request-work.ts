// Queries, outgoing requests and spans of a failed request, from its recording; masked and bounded.

import type { Recording, WorkDetail, WorkRepeat } from '../http/recording/recording.ts'
import { loadingCategory, type Span } from '../base/timing/stopwatch.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import { countOf } from '../base/html/page-budget.ts'

export interface Work
  extends Pick<Span, 'name' | 'category' | 'startMs' | 'durationMs'>, Pick<WorkDetail, 'callSite' | 'begun'> {
  /** The query or URL, masked; `null` without one. */
  readonly detail: string | null
  readonly isFailed: boolean
  /** What came back, or why nothing did: `3 rows`, `404 Not Found`, `connect ECONNREFUSED`; `null` if unknown. */
  readonly result: string | null
}

export interface RequestWork {
  readonly work: readonly Work[]
  /** Total. Of a long list, earlier pieces are left out unless they failed. */
  readonly total: number
  /** Repeated queries, most frequent first. */
  readonly repeats: readonly WorkRepeat[]
  /** Of the request so far. */
  readonly durationMs: number
}

const maxWork = 30
const maxDetailChars = 300
const maxRepeats = 5

/** `undefined` if there was none or nothing is recorded. */
export function gatherWork(recording: Recording | undefined, redactor: ErrorRedactor): RequestWork | undefined {
  if (recording === undefined) return undefined
  const { stopwatch, durationMs, workSources } = recording
  const spans = stopwatch.spans().filter(({ category }) => !steps.has(category))
  if (spans.length === 0) return undefined
  const facts = workSources.map((source) => source.workFacts())
  const details = new Map(facts.flatMap((known) => known.details.map((detail) => [detail.spanId, detail] as const)))
  const work = selectShown(spans).map((span) => describeWork(span, details.get(span.id), redactor))
  const repeats = facts.flatMap((known) => known.repeats).slice(0, maxRepeats)
  return { work, total: spans.length + stopwatch.droppedSpans, repeats, durationMs }
}

/** `9 queries alike from src/orders.ts:12: SELECT …`. */
function repeatText({ kind, count, callSite, text }: WorkRepeat): string {
  const from = callSite === null ? '' : ` from ${callSite}`
  return kind === 'n+1'
    ? `N+1: ${count} queries alike${from}: ${text}`
    : `Duplicate: ${count} times the same query${from}: ${text}`
}

/** `3 queries, 1 outgoing request, 1 failed`. */
export function workSummary({ work, total }: RequestWork): string {
  const counts = [
    countOf(work.filter(({ category }) => category === 'store').length, 'query', 'queries'),
    countOf(work.filter(({ category }) => category === 'http').length, 'outgoing request'),
    countOf(work.filter(({ category }) => category !== 'store' && category !== 'http').length, 'other span'),
    `${work.filter(({ isFailed }) => isFailed).length} failed`,
    `${total - work.length} earlier not shown`,
  ]
  return counts.filter((text) => !text.startsWith('0 ')).join(', ')
}

// Trace and log show the kernel's steps.
const steps: ReadonlySet<string> = new Set([
  'kernel',
  'listener',
  'middleware',
  'hook',
  'controller',
  'sub-request',
  loadingCategory,
])

/** The newest, which are closest to the error, and earlier ones that failed. */
function selectShown(spans: readonly Span[]): readonly Span[] {
  if (spans.length <= maxWork) return spans
  const failed = spans.filter(({ status }) => status === 'error').slice(-maxWork / 2)
  const chosen = new Set(failed)
  for (let index = spans.length - 1; index >= 0 && chosen.size < maxWork; index -= 1) {
    const span = spans[index]
    if (span !== undefined) chosen.add(span)
  }
  return spans.filter((span) => chosen.has(span))
}

function describeWork(
  { name, category, attributes, startMs, durationMs, status }: Span,
  known: WorkDetail | undefined,
  redactor: ErrorRedactor,
): Work {
  const statement = attributes['db.query.text']
  const url = attributes['url.full']
  const detail =
    statement !== undefined
      ? redactor.text(String(statement), maxDetailChars)
      : url !== undefined
        ? redactor.url(String(url)).slice(0, maxDetailChars)
        : null
  const isFailed = status === 'error'
  const result = (known?.error ?? known?.result ?? null)?.slice(0, maxDetailChars) ?? null
  return {
    name: redactor.text(name, 200),
    detail,
    category,
    startMs,
    durationMs,
    isFailed,
    callSite: known?.callSite ?? null,
    begun: known?.begun ?? null,
    result,
  }
}

/** One line each, for text and Markdown: `   12.3 ms  for 4.10 ms  SELECT shop  SELECT …  → 3 rows  at src/orders.ts:12`. */
export function workLines(work: RequestWork | undefined): string[] {
  if (work === undefined) return []
  const repeats = work.repeats.map((repeat) => repeatText(repeat).replaceAll(/\s+/g, ' ').slice(0, 300))
  const pieces = work.work.slice(-maxLines).map((piece) => {
    const start = `${piece.startMs.toFixed(1)} ms`.padStart(11)
    const duration = piece.durationMs === null ? 'not ended' : `for ${piece.durationMs.toFixed(2)} ms`
    const detail = piece.detail === null ? '' : `  ${piece.detail.replaceAll(/\s+/g, ' ').slice(0, 200)}`
    const result = piece.result === null ? '' : `  → ${piece.result.replaceAll(/\s+/g, ' ').slice(0, 200)}`
    const site = piece.callSite === null ? '' : `  at ${piece.callSite}`
    return `${start}  ${duration}  ${piece.isFailed ? 'FAILED  ' : ''}${piece.name}${detail}${result}${site}`
  })
  return [...repeats, ...pieces]
}

const maxLines = 15
