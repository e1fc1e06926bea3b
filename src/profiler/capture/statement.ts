// One statement to a database or a cache: what it begins with, what its source holds of it, and the plain data it becomes.

import type { CallSiteMark } from './call-site.ts'
import type { StatementFacts } from './statement-kind.ts'
import type { StatementList } from './statement-list.ts'
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

/** A statement that runs, or has ended: what its source holds of it. Everything that is noted stands in the list. */
export class Statement implements RunningStatement {
  readonly #list: StatementList
  readonly #place: number
  #isOver: boolean

  /** `isOver` where its end is never told. */
  constructor(list: StatementList, place: number, isOver: boolean) {
    this.#list = list
    this.#place = place
    this.#isOver = isOver
  }

  end(rows: number | null = null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#list.end(this.#place, rows)
  }

  fail(thrown: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#list.fail(this.#place, thrown)
  }
}
