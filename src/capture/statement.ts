// One statement to a database or a cache in the making, and the plain data it becomes.

import { describeFailure } from '../kernel/describe-failure.ts'
import type { Stopwatch } from '../timing/stopwatch.ts'
import type { CallSiteMark, CallSites } from './call-site.ts'
import { failureText } from './failure-text.ts'
import { notKnown } from './known-figure.ts'
import type { StatementFacts, StatementKind } from './statement-kind.ts'
import type { UsualCaller } from './usual-caller.ts'

/** What one run of a statement begins with. */
export interface StatementRun {
  /** Tells equal statements of one shape apart from others; `null` for what is equal to nothing. */
  readonly key: string | null
  readonly site: CallSiteMark | null
  /** Learns where the statement is sent from. */
  readonly caller?: UsualCaller
  /** How long it had been running when it was told of, in milliseconds. Default 0. */
  readonly agoMs?: number
  /** Only its beginning is told, never its end. Default `false`. */
  readonly isMoment?: boolean
}

/** What a statement begins with. */
export interface StatementStart
  extends Omit<StatementRun, 'site' | 'caller'>, Pick<StatementFacts, 'system' | 'library' | 'text'> {
  /** Where it was sent from; a number of frames to look for the place in the stack; `null` for what comes from nowhere. */
  readonly site: CallSiteMark | number | null
  /** Name of the database; `null` where unknown. Default `null`. */
  readonly namespace?: string | null
}

/** One statement, as the profile keeps it. Times are milliseconds since the request began. */
export interface StatementData {
  /** Index of its group: the statements of one shape. */
  readonly group: number
  readonly startMs: number
  /** `null` for one that had not ended, or whose end is not told. */
  readonly durationMs: number | null
  /** Rows read or changed; `null` where unknown. */
  readonly rows: number | null
  readonly error: string | null
  /** `src/prices.ts:12`, with ` (assumed)` behind it where the stack was not caught; `null` where unknown. */
  readonly callSite: string | null
}

/** A running statement. The first end counts. */
export interface RunningStatement {
  /** It went well; `rows` were read or changed. */
  end(rows?: number | null): void
  fail(thrown: unknown): void
}

/** Numbers that stand for one statement: place of its facts, start, duration and rows. */
export const statementFigures = 4
/** Texts that stand for one statement: key, call site and error. */
export const statementTexts = 3

/** A statement that runs, or has ended. */
export class Statement implements RunningStatement {
  readonly kind: StatementKind
  readonly #run: StatementRun
  readonly #startMs: number
  readonly #stopwatch: Stopwatch
  readonly #span: number
  #durationMs: number = notKnown
  #rows: number = notKnown
  #error: string | null = null
  #isOver = false

  constructor(stopwatch: Stopwatch, kind: StatementKind, run: StatementRun) {
    this.kind = kind
    this.#run = run
    this.#stopwatch = stopwatch
    this.#startMs = Math.max(0, stopwatch.elapsedMs() - (run.agoMs ?? 0))
    this.#span = stopwatch.startClient(kind.spanName, 'store', this.#startMs, kind.attributes)
    if (run.isMoment === true) {
      this.#isOver = true
      stopwatch.end(this.#span)
    }
  }

  /** Whether it ended with an error. */
  get hasFailed(): boolean {
    return this.#error !== null
  }

  end(rows: number | null = null): void {
    if (this.#isOver) return
    this.#over()
    if (rows !== null) this.#rows = rows
    this.#stopwatch.end(this.#span)
  }

  fail(thrown: unknown): void {
    if (this.#isOver) return
    this.#over()
    const { errorClass, message } = describeFailure(thrown)
    this.#error = failureText(`${errorClass}: ${message}`, this.kind.facts.text.text)
    this.#stopwatch.setAttribute(this.#span, 'error.type', errorClass)
    this.#stopwatch.end(this.#span, 'error')
  }

  /** Adds what is known by now to lists; the error is not masked yet. `place` is that of its facts in another list. */
  packInto(figures: number[], texts: (string | null)[], place: number, callSites: CallSites): void {
    const { key, site, caller } = this.#run
    figures.push(place, this.#startMs, this.#durationMs, this.#rows)
    texts.push(key, site === null ? null : callSites.find(site, caller), this.#error)
  }

  #over(): void {
    this.#isOver = true
    this.#durationMs = this.#stopwatch.elapsedMs() - this.#startMs
  }
}
