// The statements that one request sent to databases and caches: a bounded list, kept on its recording for the collector
// `database`.

import type { Recording } from '../recording/recording.ts'
import type { DataTools } from './outgoing-calls.ts'
import { findRepeats, steers, type Repeat } from './repeats.ts'
import { Statement, type RunningStatement, type StatementData, type StatementStart } from './statement.ts'

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

  /** Plain, masked data. */
  toData(): DatabaseData {
    const { redactor, callSites } = this.#tools
    const indexes = new Map<string, number>()
    const statements = this.#statements.map((statement) => {
      const name = groupName(statement.start)
      const group = indexes.get(name) ?? indexes.size
      indexes.set(name, group)
      return statement.toData(group, redactor, callSites)
    })
    const groups = [...indexes.values()].map((index) => {
      const members = statements.filter(({ group }) => group === index)
      const texts = this.#statements.filter((_, place) => statements[place]?.group === index)
      const first = texts[0]?.start
      const isOneText = texts.every(({ start }) => start.text.text === first?.text.text)
      return {
        system: first?.system ?? '',
        library: first?.library ?? '',
        namespace: first?.namespace ?? null,
        text: redactor.text((isOneText ? first?.text.text : first?.text.shape) ?? ''),
        count: members.length,
        totalMs: members.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      }
    })
    const findings = findRepeats(
      statements.map((data, index) => ({ ...data, key: this.#statements[index]?.start.key ?? null })),
      (group) => groups[group]?.system !== 'redis' && steers(groups[group]?.text ?? ''),
    )
    return { statements, groups, findings, dropped: this.#dropped, durationMs: this.#recording.durationMs }
  }
}

function groupName({ system, library, namespace, text }: StatementStart): string {
  return [system, library, namespace ?? '', text.shape].join('\0')
}
