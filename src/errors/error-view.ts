// The data of a debug response, gathered once and rendered as HTML, JSON, Markdown or text.

import type { LogRecord } from '../base/log/logger.ts'
import type { CapturedBody } from '../http/recording/captured-body.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { SeenErrors } from './error-family.ts'
import type { ErrorRedactor, ErrorChain, FlattenedError } from './flattened-error.ts'
import type { Explanation } from './value-origin.ts'
import type { ErrorSummary } from '../http/kernel/handler-options.ts'
import type { Recording, WorkDetail, WorkRepeat } from '../http/recording/recording.ts'
import { loadingCategory, type Span } from '../base/timing/stopwatch.ts'
import { countOf } from '../base/html/page-budget.ts'

/** One failed request and what explains it. Outside debug clients see `statusCode`, `statusText` and `reference` only. */
export interface ErrorView extends Partial<Explanation>, Omit<ErrorSummary, 'problem'> {
  readonly method: string
  /** Full URL with query, as sent: only for the client that sent it. */
  readonly url: string
  /** Name of the matched route, or `null`. */
  readonly route: string | null
  readonly routeParameters: Readonly<Record<string, unknown>>
  /** Name of the responder, for `Forwarded to …`. */
  readonly errorHandler: string | null
  /** This error and others of its family in this process. Absent if they are not counted. */
  readonly seen?: SeenErrors
  /** Milliseconds until the error. Absent if nothing is recorded. */
  readonly durationMs?: number
  /** Token of the request, and of the sub-request that renders the response; `null` if nothing is recorded. */
  readonly token: string | null
  readonly subRequestToken: string | null
  /** Request header fields, masked. */
  readonly requestHeaders: readonly (readonly [name: string, value: string])[]
  /** Query parameters, masked. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The captured part of the body, masked. Default: the body is not mentioned. */
  readonly body?: CapturedBody
  readonly chain: ErrorChain
  readonly log: readonly LogRecord[]
  /** Queries, outgoing requests and spans so far. Default: none. */
  readonly work?: RequestWork
  readonly suggestions: readonly Suggestion[]
  /** Why each route did not match. Absent if one did. */
  readonly attempts?: RouteAttempts
}

export interface RouteAttempt {
  /** Upper case; empty for any method. */
  readonly methods: readonly string[]
  /** `/products/{slug}` */
  readonly path: string
  /** Host pattern; empty for any host. */
  readonly host: string
  readonly name: string
  /** Whether only the path matches. */
  readonly isNear: boolean
  /** `Requirement for "id" does not match (\d+)` */
  readonly reason: string
  /** File and line of the definition, relative to the project; `null` if unknown. */
  readonly definedAt: string | null
}

export interface RouteAttempts {
  /** Nearest first; of a large table only the nearest. */
  readonly nearest: readonly RouteAttempt[]
  /** Routes in the table. */
  readonly total: number
}

/** Masks classes, codes, messages and properties. Source and frames stay as they are. */
export function maskChain(chain: ErrorChain, redactor: Pick<ErrorRedactor, 'text'>): ErrorChain {
  return { errors: chain.errors.map((error) => maskError(error, redactor)), cut: chain.cut }
}

/** The view to keep or copy, with URL and messages masked. `chain` is its masked chain. */
export function maskView(
  view: ErrorView,
  redactor: Pick<ErrorRedactor, 'text' | 'url'>,
  chain: ErrorChain = maskChain(view.chain, redactor),
): ErrorView {
  return { ...view, url: redactor.url(view.url), chain }
}

function maskError(error: FlattenedError, redactor: Pick<ErrorRedactor, 'text'>): FlattenedError {
  return {
    ...error,
    className: redactor.text(error.className),
    code: error.code === null ? null : redactor.text(error.code),
    message: redactor.text(error.message),
    properties: error.properties.map(({ name, value }) => ({ name, value: redactor.text(value) })),
    members: error.members.map((member) => maskChain(member, redactor)),
  }
}

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
