// Measures spans against one starting point. The newest span that still runs is the parent of the next one, unless
// the caller says otherwise.

import type { PackedSpans } from './packed-spans.ts'
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

const systemClock: Clock = () => performance.now()

/** The spans of one request. */
export class Stopwatch {
  readonly #now: Clock
  readonly #startedMs: number
  readonly #maxSpans: number
  readonly #spans: RecordedSpan[] = []
  /** The newest span that runs; each knows the one that ran before it. */
  #newest: RecordedSpan | null = null
  #droppedSpans = 0

  constructor(options: StopwatchOptions = noOptions) {
    this.#now = options.now ?? systemClock
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
    const { agoMs } = start
    const startMs = agoMs === undefined ? this.elapsedMs() : Math.max(0, this.elapsedMs() - agoMs)
    return this.#begin(start.name, start.kind ?? 'internal', start.category ?? 'app', startMs, start.attributes)
  }

  /** The same for internal work without attributes. */
  startInternal(name: string, category: string): RunningSpan {
    return this.#begin(name, 'internal', category, this.#now() - this.#startedMs, undefined)
  }

  /** Spans in the order they began. */
  spans(): readonly Span[] {
    return this.#spans.map((span) => span.toSpan())
  }

  /** Milliseconds of the first span of a category; `null` where there is none that has ended. */
  durationOf(category: string): number | null {
    for (const span of this.#spans) if (span.category === category) return span.durationMs
    return null
  }

  /** The same as one flat list; `unpackSpans` reads it. */
  packed(): PackedSpans {
    const packed: PackedSpans[number][] = []
    for (const span of this.#spans) span.packInto(packed)
    return packed
  }

  /** How many spans are kept. */
  get count(): number {
    return this.#spans.length
  }

  /** How many spans were not kept because there were too many. */
  get droppedSpans(): number {
    return this.#droppedSpans
  }

  #begin(
    name: string,
    kind: Span['kind'],
    category: string,
    startMs: number,
    attributes: Span['attributes'] | undefined,
  ): RunningSpan {
    const spans = this.#spans
    if (spans.length >= this.#maxSpans) {
      this.#droppedSpans += 1
      return ignoredSpan
    }
    const span = new RecordedSpan(this, spans.length + 1, this.#newest, name, kind, category, startMs, attributes)
    spans.push(span)
    this.#newest = span
    return span
  }

  /** For spans of its own: the newest one that runs after this one ended. */
  endOf(span: RecordedSpan): number {
    if (this.#newest === span) {
      let before = span.before
      while (before !== null && before.durationMs !== null) before = before.before
      this.#newest = before
    }
    return this.#now() - this.#startedMs
  }
}

const noOptions: StopwatchOptions = {}
const ignoredSpan: RunningSpan = { setAttribute: () => undefined, end: () => undefined }

class RecordedSpan implements RunningSpan {
  readonly id: number
  /** The span that was the newest one when this one began. */
  readonly before: RecordedSpan | null
  durationMs: number | null = null
  readonly #stopwatch: Stopwatch
  readonly #name: string
  readonly #kind: Span['kind']
  readonly category: string
  readonly #startMs: number
  #attributes: Span['attributes'] | undefined
  #status: Span['status'] = 'unset'

  constructor(
    stopwatch: Stopwatch,
    id: number,
    before: RecordedSpan | null,
    name: string,
    kind: Span['kind'],
    category: string,
    startMs: number,
    attributes: Span['attributes'] | undefined,
  ) {
    this.#stopwatch = stopwatch
    this.id = id
    this.before = before
    this.#name = name
    this.#kind = kind
    this.category = category
    this.#startMs = startMs
    this.#attributes = attributes
  }

  setAttribute(name: string, value: string | number | boolean): void {
    this.#attributes = { ...this.#attributes, [name]: value }
  }

  end(status: 'ok' | 'error' = 'ok'): void {
    if (this.durationMs !== null) return
    // Marked as ended first: the stopwatch looks for one that still runs.
    this.durationMs = 0
    this.durationMs = this.#stopwatch.endOf(this) - this.#startMs
    this.#status = status
  }

  toSpan(): Span {
    return {
      id: this.id,
      parentId: this.before?.id ?? null,
      name: this.#name,
      kind: this.#kind,
      category: this.category,
      startMs: this.#startMs,
      durationMs: this.durationMs,
      status: this.#status,
      attributes: { ...this.#attributes },
    }
  }

  packInto(list: PackedSpans[number][]): void {
    list.push(
      this.before === null ? null : this.before.id,
      this.#name,
      this.#kind,
      this.category,
      this.#startMs,
      this.durationMs,
      this.#status,
      this.#attributes ?? null,
    )
  }
}
