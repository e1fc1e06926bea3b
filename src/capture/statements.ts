// The statements that one request sent to databases and caches: a bounded list, kept on its recording for the collector
// `database`.

import type { Recording } from '../recording/recording.ts'
import type { DataTools } from './outgoing-calls.ts'
import { steers, type Repeat } from './repeats.ts'
import { databaseData } from './database-data.ts'
import type { StatementText } from './statement-text.ts'
import {
  Statement,
  type PackedStatement,
  type RunningStatement,
  type StatementData,
  type StatementStart,
} from './statement.ts'

/** The name of collector and panel, and what the statements are kept under. */
export const databaseName = 'database'

/** Statements of one request that are kept. */
export const maxStatements = 500

/** The statements of one shape. */
export interface StatementGroup {
  readonly system: string
  readonly library: string
  /** Name of the database; `null` where unknown. */
  readonly namespace: string | null
  /** Without values; of texts that differ all the same (keys of a cache), what they share. */
  readonly text: string
  readonly count: number
  /** Sum of their times. */
  readonly totalMs: number
}

/** The statements of one request, as the profile keeps them. */
export interface DatabaseData {
  /** In the order they began. */
  readonly statements: readonly StatementData[]
  readonly groups: readonly StatementGroup[]
  /** Repeated statements that deserve a look, the most frequent first. */
  readonly findings: readonly Repeat[]
  /** Statements that were not kept: too many, or too large for the profile. */
  readonly dropped: number
  /** Length of the request, for the scale. */
  readonly durationMs: number
}

/** The statements of one request as plain facts. */
export interface PackedStatements {
  /** Ten values for each: see `PackedStatement`. */
  readonly statements: readonly PackedStatement[number][]
  readonly texts: readonly StatementText[]
  readonly dropped: number
  readonly durationMs: number
}

/** What can be told of statements at once: nothing is masked, no place is looked up. */
export interface StatementTally {
  /** All that were sent, those beyond the bound included. */
  readonly sent: number
  /** How often the most frequent query came, if three times or more; else 0. Whether that is an N+1 the profile says. */
  readonly alike: number
  readonly failed: number
}

/** From so many on, queries of one text are worth a word. */
const fewestAlike = 3

/** The statements of one request. */
export class Statements {
  readonly #recording: Recording
  readonly #tools: DataTools
  readonly #statements: Statement[] = []
  #dropped = 0

  constructor(recording: Recording, tools: DataTools) {
    this.#recording = recording
    this.#tools = tools
  }

  /** Notes a statement that begins now; the rest of a long list is only counted. */
  begin(start: () => StatementStart): RunningStatement | undefined {
    if (this.#statements.length >= maxStatements) {
      this.#dropped += 1
      return undefined
    }
    const statement = new Statement(this.#recording, start())
    this.#statements.push(statement)
    return statement
  }

  /** Counts them. */
  tally(): StatementTally {
    const alike = new Map<string, number>()
    let failed = 0
    for (const { start, hasFailed } of this.#statements) {
      if (hasFailed) failed += 1
      const { shape } = start.text
      if (!steers(shape)) alike.set(shape, (alike.get(shape) ?? 0) + 1)
    }
    const most = Math.max(0, ...alike.values())
    const sent = this.#statements.length + this.#dropped
    return { sent, alike: most < fewestAlike ? 0 : most, failed }
  }

  /** Plain, masked data. */
  toData(): DatabaseData {
    return databaseData(this.pack(), this.#tools.redactor)
  }

  /** The same as plain facts that are not masked yet; `databaseData` reads them, in whatever thread. */
  pack(): PackedStatements {
    const texts: StatementText[] = []
    const statements: PackedStatement[number][] = []
    for (const statement of this.#statements) {
      const { text } = statement.start
      let place = texts.indexOf(text)
      if (place < 0) place = texts.push(text) - 1
      statement.packInto(statements, place, this.#tools.callSites)
    }
    return { statements, texts, dropped: this.#dropped, durationMs: this.#recording.durationMs }
  }
}
