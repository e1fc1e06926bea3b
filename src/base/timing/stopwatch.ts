// The spans of one request, measured against one starting point.

import { performance } from './builtins.ts'
import type { RunningSpan, Span, SpanStart } from './span.ts'

/** Milliseconds of a monotonic clock; only differences mean something. */
type Clock = () => number

export const defaultMaxSpans = 1000

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

  /** Duration of the first span of a category, in milliseconds; `null` if none has ended. */
  durationOf(category: string): number | null {
    return this.#spans.find((span) => span.category === category)?.durationMs ?? null
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
