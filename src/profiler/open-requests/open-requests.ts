// The list of the requests of this process that have not answered, oldest first: each described when it is asked for.

import type { OpenExchangeList } from '../../framework/kernel/open-exchanges.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import { describeOpenRequest, type OpenRequest } from './open-request.ts'

/** The list as it is now. Plain JSON. */
export interface OpenRequestsData {
  /** Oldest first. */
  readonly requests: readonly OpenRequest[]
  /** How many there are; more than `requests` where the list was cut. */
  readonly count: number
  /** The process that is spoken of: others may run beside it. */
  readonly processId: number
  /** Milliseconds since 1970 (UTC). */
  readonly takenAt: number
}

/** Where the list comes from. */
export interface OpenRequestSource {
  /** Everything that is being recorded now. */
  read(): OpenRequestsData
}

/** Requests that are described at most; the rest is only counted. */
const maxDescribed = 200

/** Reads the list of a recorder. */
export function openRequestsOf(open: OpenExchangeList, redactor: Redactor): OpenRequestSource {
  return {
    read: () => {
      const requests: OpenRequest[] = []
      for (const exchange of open) {
        if (requests.length === maxDescribed) break
        const request = describeOpenRequest(exchange, redactor)
        if (request !== undefined) requests.push(request)
      }
      return { requests, count: open.size, processId: process.pid, takenAt: Date.now() }
    },
  }
}
