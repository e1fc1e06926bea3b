// Measures spans against one starting point. The newest span that still runs is the parent of the next one, unless
// the caller says otherwise.

import { performance } from 'node:perf_hooks'
import { figureAt, spanFigures, spanNames, spanStatuses, unpackSpans, type PackedSpans } from './packed-spans.ts'
import type { RunningSpan, Span, SpanKind, SpanStart } from './span.ts'

/** Milliseconds of a monotonic clock; only differences mean something. */
export type Clock = () => number

/** Spans kept at most where nothing else is said. */
export const defaultMaxSpans = 1000

/** How many spans are kept, and the clock. */
export interface StopwatchOptions {
  /** Default `performance.now`. */
  readonly now?: Clock
  /** Spans kept at most; later ones are counted, not kept. Default 1000. */
  readonly maxSpans?: number
}

/** Of the module: the global of the same name is looked up, and is a getter, each time. */
const systemClock: Clock = () => performance.now()
const noOptions: StopwatchOptions = {}

const okStatus = spanStatuses.indexOf('ok')
const errorStatus = spanStatuses.indexOf('error')
/** What stands for a span that is not kept. */
const noSpan = 0

/** The spans of one request, kept in the lists of `PackedSpans`. */
export class Stopwatch {
  /** When it was made, on the monotonic clock: only differences mean something. */
  readonly startedMs: number
  readonly #now: Clock
  readonly #maxSpans: number
  #names: string[] = []
  #figures: number[] = []
  #attributes: (Span['attributes'] | null)[] | null = null
  /** `id` of the newest span that runs; each knows the one that ran before it. */
  #newest = noSpan
  #droppedSpans = 0
  #instrumentationMs = 0

  constructor(options: StopwatchOptions = noOptions) {
    this.#now = options.now ?? systemClock
    this.#maxSpans = options.maxSpans ?? defaultMaxSpans
    this.startedMs = this.#now()
  }

  /** Milliseconds since the stopwatch was made. */
  elapsedMs(): number {
    return this.#now() - this.startedMs
  }

  /** Starts a span inside the newest one that still runs; never before the stopwatch itself. */
  start(start: SpanStart): RunningSpan {
    const { agoMs, attributes } = start
    const startMs = agoMs === undefined ? this.elapsedMs() : Math.max(0, this.elapsedMs() - agoMs)
    const id = this.#begin(start.name, start.kind ?? 'internal', start.category ?? 'app', startMs)
    if (attributes !== undefined) this.#attributesOf(id, { ...attributes })
    return {
      setAttribute: (name, value) => this.setAttribute(id, name, value),
      end: (status) => this.end(id, status),
    }
  }

  /** The same for internal work without attributes. Gives the number that ends it, and makes no object. */
  startInternal(name: string, category: string): number {
    return this.#begin(name, 'internal', category, this.#now() - this.startedMs)
  }

  /** The same for a call that went out and began at `startMs`. Its `attributes` are kept as they are. */
  startClient(name: string, category: string, startMs: number, attributes: Span['attributes']): number {
    const id = this.#begin(name, 'client', category, startMs)
    this.#attributesOf(id, attributes)
    return id
  }

  /** Sets an attribute of a span by its number. */
  setAttribute(id: number, name: string, value: string | number | boolean): void {
    this.#attributesOf(id, { [name]: value })
  }

  /** Puts these in the place of a span's attributes; they are kept as they are. */
  replaceAttributes(id: number, attributes: Span['attributes']): void {
    const all = this.#attributes
    if (all !== null && id !== noSpan && id <= all.length) all[id - 1] = attributes
  }

  /** Ends a span by its number, `atMs` after the stopwatch was made (default: now). Counts once; later calls change nothing. */
  end(id: number, status: 'ok' | 'error' = 'ok', atMs?: number): void {
    const at = (id - 1) * spanFigures
    const figures = this.#figures
    if (id === noSpan || figures[at + figureAt.duration] !== -1) return
    const endMs = atMs ?? this.#now() - this.startedMs
    figures[at + figureAt.duration] = endMs - (figures[at + figureAt.start] ?? 0)
    figures[at + figureAt.status] = status === 'ok' ? okStatus : errorStatus
    if (this.#newest === id) this.#newest = this.#runningBefore(id)
  }

  /** Spans in the order they began. */
  spans(): readonly Span[] {
    return unpackSpans(this.packed())
  }

  /** Milliseconds of the first span of a category; `null` where there is none that has ended. */
  durationOf(category: string): number | null {
    for (let index = 0; index < this.count; index += 1) {
      if (this.#names[index * spanNames + 2] !== category) continue
      const durationMs = this.#figures[index * spanFigures + figureAt.duration] ?? -1
      return durationMs < 0 ? null : durationMs
    }
    return null
  }

  /** The lists themselves: they grow with further spans. */
  packed(): PackedSpans {
    return { names: this.#names, figures: this.#figures, attributes: this.#attributes }
  }

  /** How many spans are kept. */
  get count(): number {
    return this.#names.length / spanNames
  }

  /** Counts time of what only watches, in milliseconds: it gets no span. */
  addInstrumentation(ms: number): void {
    this.#instrumentationMs += ms
  }

  /** Milliseconds of what only watches, in all. */
  get instrumentationMs(): number {
    return this.#instrumentationMs
  }

  /** How many spans were not kept because there were too many. */
  get droppedSpans(): number {
    return this.#droppedSpans
  }

  /** Forgets the spans; those that still run are not kept. */
  forget(): void {
    this.#names = []
    this.#figures = []
    this.#attributes = null
    this.#newest = noSpan
  }

  #begin(name: string, kind: SpanKind, category: string, startMs: number): number {
    if (this.count >= this.#maxSpans) {
      this.#droppedSpans += 1
      return noSpan
    }
    this.#names.push(name, kind, category)
    this.#figures.push(this.#newest, startMs, -1, 0)
    this.#newest = this.count
    return this.#newest
  }

  #runningBefore(id: number): number {
    const figures = this.#figures
    let before = figures[(id - 1) * spanFigures + figureAt.parent] ?? noSpan
    while (before !== noSpan && figures[(before - 1) * spanFigures + figureAt.duration] !== -1) {
      before = figures[(before - 1) * spanFigures + figureAt.parent] ?? noSpan
    }
    return before
  }

  #attributesOf(id: number, more: Span['attributes']): void {
    if (id === noSpan) return
    this.#attributes ??= []
    while (this.#attributes.length < id) this.#attributes.push(null)
    const known = this.#attributes[id - 1] ?? null
    this.#attributes[id - 1] = known === null ? more : { ...known, ...more }
  }
}
