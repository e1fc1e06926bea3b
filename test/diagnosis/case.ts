// What a case of the suite is: a small application with one fault, and what a person must be able to read off its page.

import type { InjectRequest } from '../../src/http/node/inject.ts'
import type { RouteCollection } from '../../src/index.ts'

/** A line of another file of this folder. */
export interface ElsewherePlace {
  /** Relative to this folder. */
  readonly file: string
  readonly source: string
}

/** One broken application. */
export interface Case {
  /** The sentence that names the cause. */
  readonly cause: string
  /** Why this Node cannot have it. */
  readonly skip?: string | false
  /** Adds the routes; the fault is in one of them, or in what it uses. */
  readonly routes: (routes: RouteCollection) => void
  /** Default `GET /`. */
  readonly request?: InjectRequest
  /** Environment variables in addition to those of every case. */
  readonly env?: Readonly<Record<string, string>>
  /** Default 500. */
  readonly status?: number
  /** Source of the line to change, in the file of the case or another one; the page says its file and number. */
  readonly place: string | ElsewherePlace
  /** Source of the line that is marked, where it is not the one to change; `null` where no own code is in the trace. Default: the place. */
  readonly marked?: string | null
  /** What the page must say: the offending value, the message. */
  readonly says: readonly (string | RegExp)[]
  /** Part of the title of the hint; absent where there is none. */
  readonly hint?: string | RegExp
}

/** What a type checker would refuse, as code that was never checked has it. */
export const unchecked = (value: unknown): never => value as never
