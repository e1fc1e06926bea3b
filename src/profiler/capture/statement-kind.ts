// What all runs of one statement share, made once where it is sent again and again: the same object in many requests is
// copied once for all of them on the way to the thread that makes their profiles.

import type { Span } from '../../framework/timing/span.ts'
import type { StatementText } from './statement-text.ts'

/** What is told of a statement, whatever its values are. */
export interface StatementFacts {
  /** In the words of OpenTelemetry: `postgresql`, `mysql`, `sqlite`, `redis`, `mongodb`. */
  readonly system: string
  /** What sent it: `pg`, `node:sqlite`. */
  readonly library: string
  /** Name of the database; `null` where unknown. */
  readonly namespace: string | null
  /** The text without its values. */
  readonly text: StatementText
  /** Tells texts of one shape apart, which may hold literal values; `null` for one that is equal to nothing. */
  readonly key: string | null
}

/** What the statements of one request have in common with those of others, each thing once. */
export interface CommonParts {
  readonly facts: readonly StatementFacts[]
  readonly callSites: readonly string[]
}

/** A statement that can run many times. */
export class StatementKind {
  readonly facts: StatementFacts
  /** Name of its spans: `SELECT sqlite`. */
  readonly spanName: string
  /** What its spans say. */
  readonly attributes: Span['attributes']
  /** What the statements of the last request that began with this one had in common with others; `null` before the first. */
  common: CommonParts | null = null

  constructor(facts: StatementFacts) {
    const { system, namespace, text } = facts
    const operation = operationOf(text.shape)
    this.facts = facts
    this.spanName = `${operation} ${namespace ?? system}`
    const attributes = {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.text': text.text,
    }
    this.attributes = namespace === null ? attributes : { ...attributes, 'db.namespace': namespace }
  }
}

/** `SELECT`, `GET`, `products.find`. */
function operationOf(shape: string): string {
  const operation = /^[\w.]+/.exec(shape)?.[0] ?? 'statement'
  return operation.slice(0, 60)
}
