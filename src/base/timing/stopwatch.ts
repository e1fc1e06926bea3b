// The spans of one request, measured against one starting point.

import { performance } from './builtins.ts'

/** What a span is to the outside: own work, a request that came in, a call that went out. */
type SpanKind = 'internal' | 'server' | 'client'

/** One timed stretch of work. Plain data; times are milliseconds since the request began. */
export interface Span {
  readonly id: number
  /** `id` of the enclosing span, or `null` for the outermost. */
  readonly parentId: number | null
  /** `onRequest`, `SELECT orders`, `GET`. */
  readonly name: string
  readonly kind: SpanKind
  /** What the timeline groups by: `kernel`, `listener`, `controller`, `template`, `store`, `http`, `app`, `loading`. */
  readonly category: string
  readonly startMs: number
  /** `null` while it is not over. */
  readonly durationMs: number | null
  readonly status: 'unset' | 'ok' | 'error'
  /** Names of the OpenTelemetry semantic conventions if there is one: `db.system.name`, `http.request.method`. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** Category of the time in which a request waited for parts of this library to be loaded and run first, once in a process. */
export const loadingCategory = 'loading'

/** What is known of a span when it begins. */
export interface SpanStart {
  readonly name: string
  /** Default `internal`. */
  readonly kind?: SpanKind
  /** Default `app`. */
  readonly category?: string
  /** Start in milliseconds since the stopwatch was created, where another record has the same time. Default: now. */
  readonly startMs?: number
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

/** A running span. `end` counts once; later calls change nothing. */
export interface RunningSpan {
  /** Of the span; 0 if it is not kept. */
  readonly id: number
  setAttribute(name: string, value: string | number | boolean): void
  /** `durationMs`: as it is said elsewhere, too. Default: until now. */
  end(status?: 'ok' | 'error', durationMs?: number): void
}

/** Milliseconds of a monotonic clock; only differences mean something. */
type Clock = () => number

const defaultMaxSpans = 1000

export interface StopwatchOptions {
  /** Default `performance.now`. */
  readonly now?: Clock
  /** Spans to keep; later ones are only counted. Default 1000. */
  readonly maxSpans?: number
}

type OpenSpan = { -readonly [Name in keyof Span]: Span[Name] }

/** Measures spans. A new span's parent is the newest span that is still running. */
export class Stopwatch {
  /** Monotonic time of creation. */
  readonly startedMs: number
  readonly #now: Clock
  readonly #maxSpans: number
  #spans: OpenSpan[] = []
  #newest: OpenSpan | undefined
  /** Number of spans beyond the limit. */
  droppedSpans = 0
  #standsAtMs: number | undefined
  #stoodMs = 0

  constructor(options: StopwatchOptions = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#maxSpans = options.maxSpans ?? defaultMaxSpans
    this.startedMs = this.#now()
  }

  /** Milliseconds since creation, without those in which it stood still. */
  elapsedMs(): number {
    return (this.#standsAtMs ?? this.#now()) - this.startedMs - this.#stoodMs
  }

  /** How long it stood still so far, in milliseconds. */
  get stoodMs(): number {
    return this.#stoodMs + (this.#standsAtMs === undefined ? 0 : this.#now() - this.#standsAtMs)
  }

  /** Stands still for some work, during which no other code runs. */
  standFor<Result>(work: () => Result): Result {
    if (this.#standsAtMs !== undefined) return work()
    this.#standsAtMs = this.#now()
    try {
      return work()
    } finally {
      this.#stoodMs = this.stoodMs
      this.#standsAtMs = undefined
    }
  }

  /** Starts a span inside the newest running one. It never starts before the stopwatch does. */
  start({
    name,
    kind = 'internal',
    category = 'app',
    startMs = this.elapsedMs(),
    attributes = {},
  }: SpanStart): RunningSpan {
    if (this.#spans.length >= this.#maxSpans) {
      this.droppedSpans += 1
      return droppedSpan
    }
    const span: OpenSpan = {
      id: this.#spans.length + 1,
      parentId: this.#newest?.id ?? null,
      name,
      kind,
      category,
      startMs: Math.max(0, startMs),
      durationMs: null,
      status: 'unset',
      attributes: { ...attributes },
    }
    this.#spans.push(span)
    this.#newest = span
    return {
      id: span.id,
      setAttribute: (attribute, value) => {
        span.attributes = { ...span.attributes, [attribute]: value }
      },
      end: (status = 'ok', durationMs = this.elapsedMs() - span.startMs) => this.#end(span, status, durationMs),
    }
  }

  /** Spans in starting order. Running spans of this list change until they end. */
  spans(): readonly Span[] {
    return this.#spans
  }

  /** Duration of the first span of a category so far, in milliseconds; `null` if there is none. */
  durationOf(category: string): number | null {
    const span = this.#spans.find((each) => each.category === category)
    return span === undefined ? null : (span.durationMs ?? this.elapsedMs() - span.startMs)
  }

  /** Drops all spans, running ones included. */
  forget(): void {
    this.#spans = []
    this.#newest = undefined
  }

  #end(span: OpenSpan, status: 'ok' | 'error', durationMs: number): void {
    if (span.durationMs !== null) return
    span.durationMs = durationMs
    span.status = status
    // The newest span that still runs is an ancestor of this one.
    while (this.#newest !== undefined && this.#newest.durationMs !== null) {
      const { parentId } = this.#newest
      this.#newest = parentId === null ? undefined : this.#spans[parentId - 1]
    }
  }
}

const droppedSpan: RunningSpan = { id: 0, setAttribute: () => undefined, end: () => undefined }
