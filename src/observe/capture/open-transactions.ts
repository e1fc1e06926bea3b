// Transactions that were begun on a connection and not ended, so that a later request can be told who left one open.

import { currentExchange } from '../../http/kernel/current-exchange.ts'
import type { Recording } from '../../http/recording/recording.ts'

/** A transaction, by the query that began it. */
export interface BegunTransaction {
  readonly recording: Recording
  readonly site: Error | null
  /** `GET /transfer`; empty outside a request. */
  readonly request: string
  /** Whether the request that began it has ended it. */
  isOver: boolean
}

const control = /(?:^|;)\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+TO\b))\b/gi

export class OpenTransactions {
  readonly #begun = new WeakMap<object, BegunTransaction>()

  /** Notes what a query that succeeded began or ended. */
  note(connection: object | undefined, text: string, recording: Recording, site: Error | null): void {
    const last = [...text.matchAll(control)].at(-1)?.[1]
    if (last === undefined || connection === undefined) return
    const before = this.#begun.get(connection)
    if (before?.recording === recording) before.isOver = true
    const { method = '', path = '' } = currentExchange()?.request ?? {}
    if (/^[BS]/i.test(last))
      this.#begun.set(connection, { recording, site, request: `${method} ${path}`.trim(), isOver: false })
    else this.#begun.delete(connection)
  }

  /** The transaction of another request that a query failed in, or because of, as its message says. */
  behind(message: string, connection: object | undefined, recording: Recording): BegunTransaction | undefined {
    return /transaction/i.test(message) ? this.around(connection, recording) : undefined
  }

  /** The transaction of another request that a query runs in. */
  around(connection: object | undefined, recording: Recording): BegunTransaction | undefined {
    const begun = connection && this.#begun.get(connection)
    return begun?.recording === recording ? undefined : begun
  }
}
