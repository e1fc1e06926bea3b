// The statements that one request sent to databases and caches: a bounded list, kept on its recording for the collector
// `database`.

import type { Recording } from '../../framework/recording/recording.ts'
import type { DataTools } from './data-tools.ts'
import type { Repeat } from './repeats.ts'
import { databaseData } from './database-data.ts'
import { callSiteNow } from './call-site-now.ts'
import { KnownStatement } from './known-statement.ts'
import { StatementKind, type StatementFacts } from './statement-kind.ts'
import { Statement, type RunningStatement, type StatementData, type StatementStart } from './statement.ts'
import { StatementList, type PackedStatements } from './statement-list.ts'
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

/** What can be told of statements at once: nothing is masked, no place is looked up. */
export interface StatementTally {
  /** All that were sent, those beyond the bound included. */
  readonly sent: number
  /** How often the most frequent query came, if three times or more; else 0. Whether that is an N+1 the profile says. */
  readonly alike: number
  readonly failed: number
}

/** The statements of one request. */
export class Statements {
  readonly #list: StatementList
  readonly #tools: DataTools
  #dropped = 0

  constructor(recording: Recording, tools: DataTools) {
    this.#list = new StatementList(recording)
    this.#tools = tools
  }

  /** Whether the next statement is only counted. */
  get isFull(): boolean {
    return this.#list.length >= maxStatements
  }

  /** Counts a statement that is not kept. */
  drop(): void {
    this.#dropped += 1
  }

  /** Notes a statement that begins now. Ask `isFull` first. */
  begin(start: StatementStart): RunningStatement {
    const { system, library, namespace = null, text, site, key, agoMs = 0, isMoment = false } = start
    const facts: StatementFacts = { system, library, namespace, text, key: '' }
    let place: number
    if (typeof site !== 'number') place = this.#list.begin(new StatementKind(facts), key, site, null, agoMs)
    else {
      const known = this.#tools.statements.of(`${library} ${text.shape}`, () => new KnownStatement(site))
      const { caller } = known
      place = this.#list.begin(known.kindOf(facts), key, callSiteNow(caller, this.#tools.pace), caller, agoMs)
    }
    if (isMoment) this.#list.leave(place)
    return new Statement(this.#list, place, isMoment)
  }

  /** The same for one that was prepared, and is over when the call returns. Gives what ends it in `list`, its place there. */
  beginRun(kind: StatementKind, key: string | null, caller: UsualCaller): number {
    return this.#list.begin(kind, key, callSiteNow(caller, this.#tools.pace), caller, 0)
  }

  /** Where those are that `beginRun` began. */
  get list(): StatementList {
    return this.#list
  }

  /** Counts them. */
  tally(): StatementTally {
    const { alike, failed } = this.#list.tally()
    return { sent: this.#list.length + this.#dropped, alike, failed }
  }

  /** Plain, masked data. */
  toData(): DatabaseData {
    return databaseData(this.pack(), this.#tools.redactor)
  }

  /** The same as plain facts that are not masked yet; `databaseData` reads them, in whatever thread, before more are noted. */
  pack(): PackedStatements {
    return this.#list.pack(this.#dropped, this.#tools.callSites)
  }
}
