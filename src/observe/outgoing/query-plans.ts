// Plans of queries that this process sent, asked of the database when a reader wants one. No query is run.

import type { Redactor } from '../../base/redact/redactor.ts'
import { runOutsideExchanges } from '../../http/kernel/current-exchange.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { withinBudget } from '../../http/kernel/within-budget.ts'
import type { RowSource } from './open-databases.ts'

/** Asks a database for the plan of a text whose values were removed. A line a step. May throw and reject. */
export type Explain = (text: string) => Promise<readonly string[]>

/** How a database is asked for plans and rows. */
export interface DatabaseWays {
  readonly explain: Explain
  /** Default: rows cannot be read. */
  readonly rows?: RowSource
}

/** A group of queries, as a profile has it. */
export interface PlannedQuery {
  readonly system: string
  readonly library: string
  readonly text: string
}

/** Steps, or the reason why there are none. */
export type QueryPlan = { readonly steps: readonly string[] } | { readonly problem: string }

export interface QueryPlanSource {
  plan(query: PlannedQuery): Promise<QueryPlan>
  /** Whether there is a connection to ask: only for queries that this process sent. */
  knows(query: PlannedQuery): boolean
}

/** Queries that are remembered; the oldest are forgotten. */
const maxQueries = 500
const budgetMs = 3000

export class QueryPlans implements QueryPlanSource {
  /** Read databases, by their systems: of each the one that a recorded request has used last. */
  readonly databases: Map<string, RowSource> = new Map()
  readonly #redactor: Redactor
  readonly #queries = new Map<string, { readonly text: string; readonly explain: Explain }>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** Remembers a query: only what this process sent itself is ever explained. */
  remember({ text, ...query }: PlannedQuery, { explain, rows }: DatabaseWays): void {
    if (rows !== undefined) this.databases.set(query.system, rows)
    const key = keyOf({ ...query, text: this.#redactor.text(text) })
    if (this.#queries.has(key)) return
    const [oldest] = this.#queries.keys()
    if (this.#queries.size >= maxQueries && oldest !== undefined) this.#queries.delete(oldest)
    this.#queries.set(key, { text, explain })
  }

  knows(query: PlannedQuery): boolean {
    return this.#queries.has(keyOf(query))
  }

  /** Never rejects. */
  async plan(query: PlannedQuery): Promise<QueryPlan> {
    const known = this.#queries.get(keyOf(query))
    if (known === undefined) {
      return {
        problem:
          'Run the query once in this process, through observeSqlite() or a pool of observePg() or mysql2, then explain it.',
      }
    }
    if (!canExplain.test(known.text) || /;\s*\S/.test(known.text)) {
      return { problem: 'Only a single SELECT, INSERT, UPDATE, DELETE or WITH can be explained.' }
    }
    try {
      // The work of no request.
      const steps = runOutsideExchanges(async () => known.explain(known.text.replace(/;\s*$/, '')))
      return { steps: await withinBudget(steps, budgetMs, () => new Error(`no response within ${budgetMs} ms`)) }
    } catch (thrown) {
      const { message } = describeFailure(thrown)
      const said = this.#redactor.text(message, 500)
      return { problem: `The database gave no plan: ${said}. Values are not kept, so a query may lack what it needs.` }
    }
  }
}

const canExplain = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES)\b/i

function keyOf({ system, library, text }: PlannedQuery): string {
  return [system, library, text].join('\0')
}
