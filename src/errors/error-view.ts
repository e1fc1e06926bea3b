// Everything an error answer may show, gathered once and drawn by each renderer: HTML, JSON, Markdown, text.

import type { LogRecord } from '../framework/log/record-logger.ts'
import type { CapturedBody } from '../framework/recording/captured-body.ts'
import type { Suggestion } from '../framework/routing/suggestion.ts'
import type { ErrorChain } from './flattened-error.ts'
import type { Hint } from './hints/hint.ts'
import type { RequestWork } from './request-work.ts'
import type { RouteAttempts } from './route-attempts.ts'

/** Facts of one failed request, for a renderer. Debug only, but for `statusCode`, `statusText` and `reference`. */
export interface ErrorView {
  readonly statusCode: number
  /** Reason phrase: `Not Found`. */
  readonly statusText: string
  /** What an operator searches for in the log. */
  readonly reference: string
  readonly method: string
  /** Full URL with query, verbatim: only for the client that sent it. */
  readonly url: string
  /** Name of the matched route, or `null`. */
  readonly route: string | null
  readonly routeParameters: Readonly<Record<string, unknown>>
  /** Name of what draws the answer, for `Forwarded to …`. */
  readonly errorHandler: string
  /** Token of the request, and of the sub-request that draws the answer; `null` while nothing is recorded. */
  readonly token: string | null
  readonly subRequestToken: string | null
  /** Request header fields, masked. */
  readonly requestHeaders: readonly (readonly [name: string, value: string])[]
  /** Query parameters, masked. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The body as far as it was captured, masked; absent means that nothing is said of it. */
  readonly body?: CapturedBody
  readonly chain: ErrorChain
  readonly log: readonly LogRecord[]
  /** Statements, outgoing calls and spans so far; absent where there were none. */
  readonly work?: RequestWork
  readonly suggestions: readonly Suggestion[]
  /** What routing tried, where no route took the request; absent elsewhere. */
  readonly attempts?: RouteAttempts
  /**
   * Explanations of known errors, for "what to do"; absent means none. Their texts may hold values of the error:
   * escape them.
   */
  readonly hints?: readonly Hint[]
  /**
   * Fields that the error itself gives to a problem document (`toProblem()`), plain and masked; only JSON shows them.
   */
  readonly problem?: Readonly<Record<string, unknown>>
}
