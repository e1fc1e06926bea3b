// Measures spans against one starting point. The newest span that still runs is the parent of the next one, unless
// the caller says otherwise.

import type { RunningSpan, Span, SpanStart } from './span.ts'

/** Milliseconds of a monotonic clock; only differences mean something. */
export type Clock = () => number

/** How many spans are kept, and the clock. */
export interface StopwatchOptions {
  /** Default `performance.now`. */
  readonly now?: Clock
  /** Spans kept at most; later ones are counted, not kept. Default 1000. */
  readonly maxSpans?: number
}

/** The spans of one request. */
export class Stopwatch {
  readonly #now: Clock
  readonly #startedMs: number
  readonly #maxSpans: number
  readonly #spans: RecordedSpan[] = []
  readonly #running: RecordedSpan[] = []
  #droppedSpans = 0

  constructor(options: StopwatchOptions = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#maxSpans = options.maxSpans ?? 1000
    this.#startedMs = this.#now()
  }

  /** When it was made, on the monotonic clock: only differences mean something. */
  get startedMs(): number {
    return this.#startedMs
  }

  /** Milliseconds since the stopwatch was made. */
  elapsedMs(): number {
    return this.#now() - this.#startedMs
  }

  /** Starts a span inside the newest one that still runs; never before the stopwatch itself. */
  start(start: SpanStart): RunningSpan {
    if (this.#spans.length >= this.#maxSpans) {
      this.#droppedSpans += 1
      return ignoredSpan
    }
    const span = new RecordedSpan(
      this.#spans.length + 1,
      this.#running.at(-1)?.id ?? null,
      start,
      Math.max(0, this.elapsedMs() - (start.agoMs ?? 0)),
      (ended) => this.#end(ended),
    )
    this.#spans.push(span)
    this.#running.push(span)
    return span
  }

  /** Spans in the order they began. */
  spans(): readonly Span[] {
    return this.#spans.map((span) => span.toSpan())
  }

  /** How many spans were not kept because there were too many. */
  get droppedSpans(): number {
    return this.#droppedSpans
  }

  #end(span: RecordedSpan): number {
    const index = this.#running.lastIndexOf(span)
    if (index >= 0) this.#running.splice(index, 1)
    return this.elapsedMs()
  }
}

const ignoredSpan: RunningSpan = { setAttribute: () => undefined, end: () => undefined }

class RecordedSpan implements RunningSpan {
  readonly id: number
  readonly #parentId: number | null
  readonly #start: SpanStart
  readonly #startMs: number
  readonly #onEnd: (span: RecordedSpan) => number
  #attributes: Record<string, string | number | boolean> | undefined
  #durationMs: number | null = null
  #status: Span['status'] = 'unset'

  constructor(
    id: number,
    parentId: number | null,
    start: SpanStart,
    startMs: number,
    onEnd: (span: RecordedSpan) => number,
  ) {
    this.id = id
    this.#parentId = parentId
    this.#start = start
    this.#startMs = startMs
    this.#onEnd = onEnd
  }

  setAttribute(name: string, value: string | number | boolean): void {
    this.#attributes = { ...this.#attributes, [name]: value }
  }

  end(status: 'ok' | 'error' = 'ok'): void {
    if (this.#durationMs !== null) return
    this.#durationMs = this.#onEnd(this) - this.#startMs
    this.#status = status
  }

  toSpan(): Span {
    return {
      id: this.id,
      parentId: this.#parentId,
      name: this.#start.name,
      kind: this.#start.kind ?? 'internal',
      category: this.#start.category ?? 'app',
      startMs: this.#startMs,
      durationMs: this.#durationMs,
      status: this.#status,
      attributes: { ...this.#start.attributes, ...this.#attributes },
    }
  }
}
