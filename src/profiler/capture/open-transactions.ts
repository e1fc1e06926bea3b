// Transactions that were begun on a connection and not ended, so that a later request can be told who left one open.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { Recording } from '../../framework/recording/recording.ts'

/** A transaction, by the query that began it. */
export interface BegunTransaction {
  readonly recording: Recording
  readonly site: Error | null
  /** `GET /transfer`; empty outside a request. */
  readonly request: string
}

/** Key on the recording of a request that has ended. */
export const endedName = 'ended'

const control = /(?:^|;)\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+TO\b))\b/gi

export class OpenTransactions {
  readonly #begun = new WeakMap<object, BegunTransaction>()

  /** Notes what a query that succeeded began or ended. */
  note(connection: object | undefined, text: string, recording: Recording, site: Error | null): void {
    const last = [...text.matchAll(control)].at(-1)?.[1]
    if (last === undefined || connection === undefined) return
    const request = currentExchange()?.request
    if (/^[BS]/i.test(last))
      this.#begun.set(connection, { recording, site, request: request ? `${request.method} ${request.path}` : '' })
    else this.#begun.delete(connection)
  }

  /** The transaction of another request that a query failed in, or because of, as its message says. */
  behind(message: string, connection: object | undefined, recording: Recording): BegunTransaction | undefined {
    if (connection === undefined || !/transaction/i.test(message)) return undefined
    const begun = this.#begun.get(connection)
    return begun?.recording === recording ? undefined : begun
  }

  /** The transaction of another request, which has ended. */
  leftOpen(connection: object | undefined, recording: Recording): BegunTransaction | undefined {
    const begun = connection && this.#begun.get(connection)
    return begun?.recording !== recording && begun?.recording.kept(endedName) === true ? begun : undefined
  }
}
