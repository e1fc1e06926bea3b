// What is noted about one request while it runs; the exchange carries it while the request is recorded.

import type { BodyRule } from './body-rule.ts'
import { OwnMap } from '../../base/timing/builtins.ts'
import type { RecordLogger } from '../../base/log/logger.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type { RunningSpan, SpanStart, Stopwatch } from '../../base/timing/stopwatch.ts'
import { isPromise, type Awaitable } from '../../base/members.ts'

/** A remark of the profile about itself: a failed collector, a reached limit. */
export interface Note {
  /** `collector exception`, `recording`. */
  readonly source: string
  readonly message: string
}

/** Notes per recording; later ones are dropped. */
const maxNotes = 50

/** What is known of one piece of work beyond its span. */
export interface WorkDetail {
  readonly spanId: number
  /** `src/orders.ts:12`; `null` if unknown. */
  readonly callSite: string | null
  /** What came back: `3 rows`, `404 Not Found`; `null` if nothing did. */
  readonly result: string | null
  /** Masked; `null` if it did not fail. */
  readonly error: string | null
  /** The transaction of another request that it ran in: who began it, and where. Default: none. */
  readonly begun?:
    | { readonly callSite: string | null; readonly request: string; readonly token: string | null }
    | null
    | undefined
}

/** Queries that deserve a look, because they repeat each other. */
export interface WorkRepeat {
  /** `duplicate`: same values. `n+1`: other values, from one line. */
  readonly kind: 'duplicate' | 'n+1'
  /** The query without values, masked. */
  readonly text: string
  readonly count: number
  readonly totalMs: number
  /** The line in a loop that led to them, or else the line that sent them; `null` if unknown or several. */
  readonly callSite: string | null
}

export interface WorkFacts {
  readonly details: readonly WorkDetail[]
  readonly repeats: readonly WorkRepeat[]
}

/** Captures work of a request: queries, outgoing requests. */
export interface WorkSource {
  /** What is known so far. */
  workFacts(): WorkFacts
}

interface RecordingParts {
  /** Short name of the profile, `[0-9a-z]{10,16}`. */
  readonly token: string
  /** Recording of the parent request, for a sub-request. */
  readonly parent?: Recording | undefined
  /** Wall clock at the start, milliseconds since 1970 (UTC). */
  readonly startedAt: number
  readonly stopwatch: Stopwatch
  readonly logger: RecordLogger
  readonly redactor: Redactor
  /** Which bodies are kept where no route says so. Default: none. */
  readonly bodies?: BodyRule
  /** Makes the recording of a sub-request. */
  readonly fork: (parent: Recording) => Recording
}

/** A name that says what is kept under it: `const tagsName: KeptName<readonly string[]> = 'tags'`. Under others anything may be kept. */
export type KeptName<Data> = string & { readonly keeps?: Data }

type Kept<Name> = Name extends { readonly keeps?: infer Data } ? Data : unknown

/** One request in progress: spans, log lines, notes, and what listeners keep for collectors. */
export class Recording {
  readonly token: string
  readonly parent: Recording | undefined
  readonly startedAt: number
  readonly stopwatch: Stopwatch
  readonly logger: RecordLogger
  readonly redactor: Redactor
  readonly bodies: BodyRule
  readonly #fork: (parent: Recording) => Recording
  readonly #kept = new OwnMap<string, unknown>()
  /** Recordings of sub-requests, in order of creation. */
  readonly children: Recording[] = []
  /** What captures work of this request, in the order in which each saw its first piece. */
  workSources: WorkSource[] = []
  /** The calls of its own code so far; `undefined` where not all of them are noted. */
  seenCalls: (() => readonly SeenCall[] | undefined) | undefined
  /** Called with each value that the application sets on the exchange. Default: none. */
  valueWatcher: ((recording: Recording, name: string, value: unknown) => void) | undefined
  /** File of what has called its handler, where no code of the application is around that. */
  handlerCaller: string | undefined
  /** Called when the request begins to wait for this library, and when it goes on. */
  pauseWatcher: ((isPaused: boolean) => void) | undefined
  notes: Note[] = []
  #durationMs: number | undefined
  /** How often `pause` was called without `resume`, and when first. */
  #pauses = 0
  #pausedMs = 0
  /** Before it began, and in pauses in which other code may run. */
  #besideMs = 0
  #stoodMs: number | undefined

  constructor(parts: RecordingParts) {
    this.token = parts.token
    this.parent = parts.parent
    this.startedAt = parts.startedAt
    this.stopwatch = parts.stopwatch
    this.logger = parts.logger
    this.redactor = parts.redactor
    this.bodies = parts.bodies ?? 'none'
    this.#fork = parts.fork
  }

  /** Creates the recording of a sub-request, with its own token, linked both ways. */
  createChild(): Recording {
    const child = this.#fork(this)
    this.children.push(child)
    return child
  }

  /** Ends the measurement. Only the first call counts. */
  finish(): void {
    if (this.#durationMs !== undefined) return
    this.#durationMs = this.durationMs
    this.#stoodMs = this.stopwatch.stoodMs
  }

  get isFinished(): boolean {
    return this.#durationMs !== undefined
  }

  /** Milliseconds from the start to `finish`, or to now, without `asideMs`. */
  get durationMs(): number {
    return this.#durationMs ?? this.stopwatch.elapsedMs() - this.#soFarBesideMs()
  }

  /** How long the request waited for this library, in milliseconds. */
  get asideMs(): number {
    return this.#soFarBesideMs() + (this.#stoodMs ?? this.stopwatch.stoodMs)
  }

  #soFarBesideMs(): number {
    const isRunning = this.isPaused && this.#durationMs === undefined
    return this.#besideMs + (isRunning ? this.stopwatch.elapsedMs() - this.#pausedMs : 0)
  }

  get isPaused(): boolean {
    return this.#pauses > 0
  }

  /** All that came before was work of this library; on the clock of the stopwatch, in milliseconds. */
  begins(atMs: number): void {
    this.#besideMs = atMs - this.stopwatch.startedMs - this.stopwatch.stoodMs
  }

  /** From here to `resume` this library works: that counts neither as duration nor as code of the request. */
  pause(): void {
    this.#pauses += 1
    if (this.#pauses > 1) return
    // In this order no code is measured outside the duration.
    this.pauseWatcher?.(true)
    this.#pausedMs = this.stopwatch.elapsedMs()
  }

  resume(): void {
    this.#pauses -= 1
    if (this.#pauses > 0) return
    if (this.#durationMs === undefined) this.#besideMs += this.stopwatch.elapsedMs() - this.#pausedMs
    this.pauseWatcher?.(false)
  }

  /** Pauses for some work. What it takes counts in no span and no time either: nothing else runs meanwhile. */
  aside<Result>(work: () => Result): Result {
    if (this.isPaused) return this.stopwatch.standFor(work)
    this.pauseWatcher?.(true)
    try {
      return this.stopwatch.standFor(() => {
        this.#pausedMs = this.stopwatch.elapsedMs()
        this.#pauses += 1
        try {
          return work()
        } finally {
          this.#pauses -= 1
        }
      })
    } finally {
      // Work may have begun a pause that goes on.
      if (!this.isPaused) this.pauseWatcher?.(false)
    }
  }

  /** Starts a span inside the newest running one. */
  startSpan(start: SpanStart): RunningSpan {
    return this.stopwatch.start(start)
  }

  /** Adds a note about the recording itself, at most 50. */
  note(source: string, message: string): void {
    if (this.notes.length < maxNotes) this.notes.push({ source, message })
  }

  /** Keeps data for the collector of the same name. The last value counts. */
  keep<Name extends string>(name: Name, data: Kept<Name>): void {
    this.#kept.set(name, data)
  }

  /** Data kept under a name, or `undefined`. */
  kept<Name extends string>(name: Name): Kept<Name> | undefined {
    // Only `keep` fills the map, and it takes what the name says.
    return this.#kept.get(name) as Kept<Name> | undefined
  }

  /** The same, and `make` makes it if nothing is kept yet. A name belongs to one module, which alone makes what is kept under it. */
  keptOr<Name extends string, Data extends Kept<Name>>(name: Name, make: () => Data): Data {
    const known = this.#kept.get(name) as Data | undefined
    if (known !== undefined) return known
    const made = make()
    this.keep(name, made)
    return made
  }

  /** Drops what was recorded once its record is made: code that still runs for the request would hold it in memory. Token and duration stay. */
  forget(): void {
    this.stopwatch.forget()
    this.logger.forget()
    this.#kept.clear()
    this.workSources = []
    this.notes = []
  }
}

/** The field of a request that asks for a measurement of this very request: `cpu`, `memory`, or `code`, which is also called `values`. */
export const profileHeader = 'x-fanlight-profile'

/** In the source that the code was written in; the column is `null` where only the line is known. */
export interface SeenPlace {
  readonly file: string
  readonly line: number
  readonly column: number | null
}

/** One call, at the place of its function. */
export interface SeenCall extends SeenPlace {
  readonly name: string
  readonly endLine: number
  /** The call that it was made from, if that was noted. */
  readonly parent: SeenCall | undefined
  readonly end: 'returned' | 'threw' | null
  /** Whether nothing of it was left out, and none of it can be another one's. */
  readonly isWhole: boolean
  /** What its function was seen to do that is hardly meant: the line to change, and the one that was running. */
  readonly odd: readonly { readonly line: number; readonly seenAt: number; readonly text: string }[]
  readonly notes: readonly SeenNote[]
}

/** Taken before the code of its place ran. */
export interface SeenNote extends Pick<SeenPlace, 'line' | 'column'> {
  /** Its number among all notes of the request. */
  readonly at: number
  /** Variables that could be seen. */
  readonly names: readonly string[]
  /** Those that the code since the note before gave another value. */
  readonly changed: ReadonlyMap<string, string>
}

/** Gives what `work` gives; the span ends when it does, and fails when it fails. */
export function inSpan<T>(
  recording: Recording,
  name: string,
  category: string,
  work: () => Awaitable<T>,
): Awaitable<T> {
  const span = recording.startSpan({ name, category })
  const fail = (thrown: unknown): never => {
    span.end('error')
    throw thrown
  }
  try {
    const result = work()
    if (isPromise(result)) return result.then(end, fail)
    return end(result)
  } catch (thrown) {
    return fail(thrown)
  }

  function end(value: T): T {
    span.end()
    return value
  }
}
