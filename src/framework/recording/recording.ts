// What is noted about one request while it runs. Hangs on the Exchange only while profiling; collectors read it at the
// end. Everything in it is bounded and masked before it gets here.

import type { RecordLogger } from '../log/record-logger.ts'
import type { RunningSpan, SpanStart } from '../timing/span.ts'
import type { Stopwatch } from '../timing/stopwatch.ts'

/** Something the profile should say about itself: a collector that failed, a bound that was reached. */
export interface Note {
  /** Who says it: `collector exception`, `recording`. */
  readonly source: string
  readonly message: string
}

/** What a recording is made of. */
export interface RecordingParts {
  /** Short name of the profile, `[0-9a-z]{10,16}`. */
  readonly token: string
  /** Recording of the request that this one is a part of. */
  readonly parent?: Recording | undefined
  /** Wall clock at the start, milliseconds since 1970 (UTC). */
  readonly startedAt: number
  readonly stopwatch: Stopwatch
  readonly logger: RecordLogger
  /** Makes the recording of a sub-request. */
  readonly fork: (parent: Recording) => Recording
}

/** The record of one request in the making. */
export class Recording {
  readonly token: string
  readonly parent: Recording | undefined
  readonly startedAt: number
  readonly stopwatch: Stopwatch
  readonly logger: RecordLogger
  readonly #fork: (parent: Recording) => Recording
  // A handful at most: a list is found through as fast as a map, and made faster.
  #keptNames: string[] = []
  #keptValues: unknown[] = []
  #children: Recording[] | undefined
  #notes: Note[] | undefined
  #durationMs: number | undefined

  constructor(parts: RecordingParts) {
    this.token = parts.token
    this.parent = parts.parent
    this.startedAt = parts.startedAt
    this.stopwatch = parts.stopwatch
    this.logger = parts.logger
    this.#fork = parts.fork
  }

  /** A recording for a sub-request: own token, linked both ways. */
  createChild(): Recording {
    const child = this.#fork(this)
    this.#children ??= []
    this.#children.push(child)
    return child
  }

  /** Those of sub-requests, in the order they were made. */
  get children(): readonly Recording[] {
    return this.#children ?? none
  }

  /** What was noted, in the order it was. */
  get notes(): readonly Note[] {
    return this.#notes ?? none
  }

  /** Ends the measuring. The first call counts. */
  finish(): void {
    this.#durationMs ??= this.stopwatch.elapsedMs()
  }

  /** Milliseconds from start to `finish`, or until now. */
  get durationMs(): number {
    return this.#durationMs ?? this.stopwatch.elapsedMs()
  }

  /** Starts a span inside the newest one that still runs. */
  startSpan(start: SpanStart): RunningSpan {
    return this.stopwatch.start(start)
  }

  /** Notes something about the recording itself; at most 50 are kept. */
  note(source: string, message: string): void {
    this.#notes ??= []
    if (this.#notes.length < 50) this.#notes.push({ source, message })
  }

  /** Keeps what a listener found for the collector of the same name, `currency`. The last value counts. */
  keep(name: string, data: unknown): void {
    const index = this.#placeOf(name)
    if (index >= 0) this.#keptValues[index] = data
    else this.#keptValues[this.#keptNames.push(name) - 1] = data
  }

  /**
   * Forgets what was recorded, when it is stored or given up. Code that still runs for the request, and libraries that hold what
   * it ran in, would keep all of it in memory. The token and the duration stay; what comes later is a record of its own.
   */
  forget(): void {
    this.stopwatch.forget()
    this.logger.forget()
    // New lists: cutting the old ones is a call into V8 each.
    this.#keptNames = []
    this.#keptValues = []
    this.#notes = undefined
  }

  /** The names under which something was kept. */
  get keptNames(): readonly string[] {
    return this.#keptNames
  }

  /** What was kept under a name, or `undefined`. */
  kept(name: string): unknown {
    const index = this.#placeOf(name)
    return index < 0 ? undefined : this.#keptValues[index]
  }

  /** As `indexOf()`, without the call that one is: the names are constants of the code, and few. */
  #placeOf(name: string): number {
    const names = this.#keptNames
    for (let index = 0; index < names.length; index += 1) if (names[index] === name) return index
    return -1
  }
}

const none: readonly never[] = Object.freeze([])
