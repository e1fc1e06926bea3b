// The statements that one request sent to databases and caches: a bounded list, kept on its recording for the collector
// `database`.

import type { Recording } from '../recording/recording.ts'
import type { DataTools } from './data-tools.ts'
import { steers, type Repeat } from './repeats.ts'
import { databaseData } from './database-data.ts'
import type { CallSiteMark } from './call-site.ts'
import { callSiteNow } from './call-site-now.ts'
import { KnownStatement } from './known-statement.ts'
import { StatementKind, type StatementFacts } from './statement-kind.ts'
import { Statement, type StatementData, type StatementRun, type StatementStart } from './statement.ts'
import type { UsualCaller } from './usual-caller.ts'

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

/** The statements of one request as plain facts: numbers apart, and of what comes again the same objects each time. */
export interface PackedStatements {
  /** How many were dropped, length of the request, then `statementFigures` for each statement. */
  readonly figures: readonly number[]
  readonly more: {
    readonly facts: readonly StatementFacts[]
    /** `statementTexts` for each statement. */
    readonly texts: readonly (string | null)[]
  }
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

  /** Whether the next statement is only counted. */
  get isFull(): boolean {
    return this.#statements.length >= maxStatements
  }

  /** Counts a statement that is not kept. */
  drop(): void {
    this.#dropped += 1
  }

  /** Notes a statement that begins now. Ask `isFull` first. */
  begin({ system, library, namespace = null, text, site, ...run }: StatementStart): Statement {
    const facts: StatementFacts = { system, library, namespace, text, key: '' }
    if (typeof site !== 'number') return this.beginRun(new StatementKind(facts), { ...run, site })
    const known = this.#tools.statements.of(`${library} ${text.shape}`, () => new KnownStatement(site))
    const { caller } = known
    return this.beginRun(known.kindOf(facts), { ...run, site: this.siteOf(caller), caller })
  }

  /** The same for a statement that has run before. */
  beginRun(kind: StatementKind, run: StatementRun): Statement {
    const statement = new Statement(this.#recording.stopwatch, kind, run)
    this.#statements.push(statement)
    return statement
  }

  /** Where a statement that is sent now comes from: caught, or assumed where it is known and requests come in great number. */
  siteOf(caller: UsualCaller): CallSiteMark {
    return callSiteNow(caller, this.#tools.pace)
  }

  /** Counts them. */
  tally(): StatementTally {
    const alike = new Map<string, number>()
    let failed = 0
    for (const { kind, hasFailed } of this.#statements) {
      if (hasFailed) failed += 1
      const { shape } = kind.facts.text
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
    const figures: number[] = [this.#dropped, this.#recording.durationMs]
    const facts: StatementFacts[] = []
    const texts: (string | null)[] = []
    for (const statement of this.#statements) {
      let place = facts.indexOf(statement.kind.facts)
      if (place < 0) place = facts.push(statement.kind.facts) - 1
      statement.packInto(figures, texts, place, this.#tools.callSites)
    }
    return { figures, more: { facts, texts } }
  }
}
