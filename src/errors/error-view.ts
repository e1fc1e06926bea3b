// The data of a debug response, gathered once and rendered as HTML, JSON, Markdown or text.

import type { LogRecord } from '../base/log/record-logger.ts'
import type { CapturedBody } from '../http/recording/captured-body.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { SeenErrors } from './error-family.ts'
import type { ErrorRedactor, ErrorChain, FlattenedError } from './flattened-error.ts'
import type { RequestWork } from './request-work.ts'
import type { Explanation } from './value-origin.ts'
import type { ErrorSummary } from '../http/kernel/error-format.ts'

/** One failed request and what explains it. Outside debug clients see `statusCode`, `statusText` and `reference` only. */
export interface ErrorView extends Partial<Explanation>, Omit<ErrorSummary, 'problem'> {
  readonly method: string
  /** Full URL with query, as sent: only for the client that sent it. */
  readonly url: string
  /** Name of the matched route, or `null`. */
  readonly route: string | null
  readonly routeParameters: Readonly<Record<string, unknown>>
  /** Name of the responder, for `Forwarded to …`. */
  readonly errorHandler: string | null
  /** This error and others of its family in this process. Absent if they are not counted. */
  readonly seen?: SeenErrors
  /** Milliseconds until the error. Absent if nothing is recorded. */
  readonly durationMs?: number
  /** Token of the request, and of the sub-request that renders the response; `null` if nothing is recorded. */
  readonly token: string | null
  readonly subRequestToken: string | null
  /** Request header fields, masked. */
  readonly requestHeaders: readonly (readonly [name: string, value: string])[]
  /** Query parameters, masked. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The captured part of the body, masked. Default: the body is not mentioned. */
  readonly body?: CapturedBody
  readonly chain: ErrorChain
  readonly log: readonly LogRecord[]
  /** Queries, outgoing requests and spans so far. Default: none. */
  readonly work?: RequestWork
  readonly suggestions: readonly Suggestion[]
  /** Why each route did not match. Absent if one did. */
  readonly attempts?: RouteAttempts
}

/** One route that did not match. */
export interface RouteAttempt {
  /** Upper case; empty for any method. */
  readonly methods: readonly string[]
  /** `/products/{slug}` */
  readonly path: string
  /** Host pattern; empty for any host. */
  readonly host: string
  readonly name: string
  /** Whether only the path matches. */
  readonly isNear: boolean
  /** `Requirement for "id" does not match (\d+)` */
  readonly reason: string
  /** File and line of the definition, relative to the project; `null` if unknown. */
  readonly definedAt: string | null
}

export interface RouteAttempts {
  /** Nearest first; of a large table only the nearest. */
  readonly nearest: readonly RouteAttempt[]
  /** Routes in the table. */
  readonly total: number
}

/** Masks classes, codes, messages and properties. Source and frames stay as they are. */
export function maskChain(chain: ErrorChain, redactor: Pick<ErrorRedactor, 'text'>): ErrorChain {
  return { errors: chain.errors.map((error) => maskError(error, redactor)), cut: chain.cut }
}

/** The view to keep or copy, with URL and messages masked. `chain` is its masked chain. */
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
    className: redactor.text(error.className),
    code: error.code === null ? null : redactor.text(error.code),
    message: redactor.text(error.message),
    properties: error.properties.map(({ name, value }) => ({ name, value: redactor.text(value) })),
    members: error.members.map((member) => maskChain(member, redactor)),
  }
}
