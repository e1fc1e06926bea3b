// Gathers from a failed exchange what an error answer may show in debug.

import { statusText } from '../framework/http/status-text.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Suggestion } from '../framework/routing/suggestion.ts'
import { captureBody } from '../framework/recording/captured-body.ts'
import type { ErrorRedactor } from './error-redactor.ts'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain } from './flattened-error.ts'
import type { Hint } from './hints/hint.ts'
import { gatherWork } from './request-work.ts'
import type { RouteAttempts } from './route-attempts.ts'

/** What is known besides the exchange. */
export interface ViewParts {
  readonly statusCode: number
  readonly reference: string
  readonly chain: ErrorChain
  readonly suggestions: readonly Suggestion[]
  readonly attempts: RouteAttempts | undefined
  readonly hints: readonly Hint[]
  readonly redactor: ErrorRedactor
}

/** The view of a failed request. `exchange` is the sub-request that draws it; its parent failed. */
export function gatherView(exchange: Exchange, parts: ViewParts): ErrorView {
  const failed = exchange.parent ?? exchange
  const { context } = failed
  const work = gatherWork(failed.recording, parts.redactor)
  return {
    statusCode: parts.statusCode,
    statusText: statusText(parts.statusCode),
    reference: parts.reference,
    method: context.method,
    url: context.fullUrl,
    route: failed.route?.name ?? null,
    routeParameters: failed.route === undefined ? noParameters : plainRecord(parts.redactor.value(failed.params)),
    errorHandler: exchange.handlerName,
    token: failed.recording?.token ?? null,
    subRequestToken: exchange === failed ? null : (exchange.recording?.token ?? null),
    requestHeaders: parts.redactor.headers(context.rawHeaders),
    query: context.query === '' ? [] : parts.redactor.query(context.query),
    body: captureBody(failed, parts.redactor),
    chain: parts.chain,
    log: failed.recording?.logger.records ?? [],
    suggestions: parts.suggestions,
    hints: parts.hints,
    ...(work === undefined ? {} : { work }),
    ...(parts.attempts === undefined ? {} : { attempts: parts.attempts }),
  }
}

const noParameters: Readonly<Record<string, unknown>> = {}

/** Plain data as a record; what is no object gives an empty one. */
export function plainRecord(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {}
}
