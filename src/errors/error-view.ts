// Everything a debug response may show, gathered once and drawn as HTML, JSON, Markdown and text.

import type { LogRecord } from '../framework/log/record-logger.ts'
import type { CapturedBody } from '../framework/recording/captured-body.ts'
import type { Suggestion } from '../framework/routing/suggest-routes.ts'
import type { ErrorRedactor, ErrorChain, FlattenedError } from './flattened-error.ts'
import type { Hint } from './hints/hint.ts'
import type { RequestWork } from './request-work.ts'

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

/** One route that did not take the request. Debug only: it names routes. */
export interface RouteAttempt {
  /** Upper case; empty for any method. */
  readonly methods: readonly string[]
  /** Its pattern: `/products/{slug}`. */
  readonly path: string
  /** Its host pattern; empty for any host. */
  readonly host: string
  readonly name: string
  /** Whether the path fits, and something else does not. */
  readonly isNear: boolean
  /** For people: `Requirement for "id" does not match (\d+)`. */
  readonly reason: string
  /** File and line of the definition, relative to the project; `null` where unknown. */
  readonly definedAt: string | null
}

/** The nearest of them. */
export interface RouteAttempts {
  /** Nearest first; the farther ones of a large table are left out. */
  readonly nearest: readonly RouteAttempt[]
  /** How many routes were asked. */
  readonly total: number
}

/** The chain with secrets masked in every message and property. Source and frames stay as they are. */
export function maskChain(chain: ErrorChain, redactor: Pick<ErrorRedactor, 'text'>): ErrorChain {
  return { errors: chain.errors.map((error) => maskError(error, redactor)), cut: chain.cut }
}

/** The view as it may be kept or copied: URL and messages masked. `chain` is its chain, masked before. */
export function maskView(
  view: ErrorView,
  redactor: Pick<ErrorRedactor, 'text' | 'url'>,
  chain: ErrorChain = maskChain(view.chain, redactor),
): ErrorView {
  return { ...view, url: redactor.url(view.url), chain }
}

function maskError(error: FlattenedError, redactor: Pick<ErrorRedactor, 'text'>): FlattenedError {
  return {
    ...error,
    message: redactor.text(error.message),
    properties: error.properties.map(({ name, value }) => ({ name, value: redactor.text(value) })),
    members: error.members.map((member) => maskChain(member, redactor)),
  }
}
