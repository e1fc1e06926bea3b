// What a case of the suite is: a small application with one fault, and what a person must be able to read off its page.

import type { InjectRequest } from '../../src/framework/node/inject.ts'
import type { RouteCollection } from '../../src/index.ts'

/** One broken application. */
export interface Case {
  /** The sentence that names the cause. */
  readonly cause: string
  /** Adds the routes; the fault is in one of them. */
  readonly routes: (routes: RouteCollection) => void
  /** Default `GET /`. */
  readonly request?: InjectRequest
  /** Default 500. */
  readonly status?: number
  /** Source of the line that is at fault, as it stands in the file of the case; `null` where no own code takes part. */
  readonly line: string | null
  /** What the page must say: the offending value, the message. */
  readonly says: readonly (string | RegExp)[]
  /** Part of the title of the hint; absent where there is none. */
  readonly hint?: string | RegExp
}
