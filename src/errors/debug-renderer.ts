// Draws the debug response of a failed request. Loaded with the first error: page, hints and source are many modules.

import { contentSecurityPolicy, createNonce } from '../framework/html/document.ts'
import type { AnswerFormat } from '../framework/http/accept.ts'
import type { HttpRequest } from '../framework/http/request.ts'
import { statusText } from '../framework/http/status-text.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { captureBody } from '../framework/recording/captured-body.ts'
import type { Suggestion } from '../framework/routing/suggest-routes.ts'
import type { DebugRenderer, FailedRequest } from './error-handler.ts'
import { type ErrorView, maskView, type RouteAttempts } from './error-view.ts'
import type { ErrorRedactor, ErrorChain } from './flattened-error.ts'
import type { HintRule, Hint } from './hints/hint.ts'
import { findHints } from './hints/index.ts'
import { renderErrorJson } from './json-renderer.ts'
import { renderErrorMarkdown } from './markdown-renderer.ts'
import { renderErrorPage } from './page/error-page.ts'
import type { EditorLink } from './page/frame-item.ts'
import { errorTypes, type ErrorBody } from './public-response.ts'
import { isErrorValue, readOnce } from './read-once.ts'
import { gatherWork } from './request-work.ts'
import { renderErrorText } from './text-renderer.ts'

/** What the debug renderer needs. */
export interface DebugRendererOptions {
  readonly redactor: ErrorRedactor
  /** Where profiles are, `/_profiler`; `null` where there are none. */
  readonly profilerPath: string | null
  /** Explain known errors, asked in this order. */
  readonly hints: readonly HintRule[]
  /** Links places of own code to an editor. Default: no links. */
  readonly editor?: EditorLink | undefined
  /** Routes close to a request that none matched. Default: none. */
  readonly suggest?: (context: HttpRequest) => readonly Suggestion[]
  /** Why no route matched a request. Default: not told. */
  readonly attempts?: (context: HttpRequest) => RouteAttempts
  /** Takes each error, masked, to be printed on a terminal. Default: nothing is printed. */
  readonly print?: (view: ErrorView) => void
}

/** Makes the renderer. */
export function createDebugRenderer(options: DebugRendererOptions): DebugRenderer {
  return { render: (request, format) => render(options, request, format) }
}

function render(options: DebugRendererOptions, request: FailedRequest, format: AnswerFormat): ErrorBody {
  const { redactor, hints, print } = options
  const { exchange, thrown, chain, masked } = request
  const failed = exchange.parent ?? exchange
  const view = gatherView(exchange, {
    ...request,
    ...routingOf(options, failed, request.isMiss),
    hints: findHints(chain, failed, hints),
    redactor,
  })
  print?.(maskView(view, redactor, masked))
  const type = errorTypes[format]
  switch (format) {
    case 'json':
      return { type, content: renderErrorJson({ ...view, problem: readProblem(thrown, redactor) }) }
    case 'markdown':
      return { type, content: renderErrorMarkdown(view) }
    case 'text':
      return { type, content: renderErrorText(view) }
    case 'html': {
      const nonce = createNonce()
      const shared = maskView(view, redactor, masked)
      const copy = { text: renderErrorText(shared), markdown: renderErrorMarkdown(shared) }
      const { editor, profilerPath } = options
      const page = renderErrorPage(view, { nonce, profilerPath, copy, ...(editor === undefined ? {} : { editor }) })
      return { type, content: String(page), policy: contentSecurityPolicy(nonce) }
    }
  }
}

function routingOf(
  { suggest, attempts }: DebugRendererOptions,
  failed: Exchange,
  isMiss: boolean,
): Pick<ViewParts, 'suggestions' | 'attempts'> {
  if (!isMiss) return noRouting
  try {
    return { suggestions: suggest?.(failed.request) ?? [], attempts: attempts?.(failed.request) }
  } catch {
    // Both are a courtesy; the error itself has to be shown.
    return noRouting
  }
}

const noRouting: Pick<ViewParts, 'suggestions' | 'attempts'> = { suggestions: [], attempts: undefined }

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
  const { request } = failed
  const work = gatherWork(failed.recording, parts.redactor)
  return {
    statusCode: parts.statusCode,
    statusText: statusText(parts.statusCode),
    reference: parts.reference,
    method: request.method,
    url: request.fullUrl,
    route: failed.route?.name ?? null,
    routeParameters: failed.route === undefined ? noParameters : plainRecord(parts.redactor.value(request.params)),
    errorHandler: exchange.handlerName,
    token: failed.recording?.token ?? null,
    subRequestToken: exchange === failed ? null : (exchange.recording?.token ?? null),
    requestHeaders: parts.redactor.headers(request.rawHeaders),
    query: request.rawQuery === '' ? [] : parts.redactor.query(request.rawQuery),
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

/** What `toProblem()` returns, as plain masked data; empty without the method, or when it throws. It is called once. */
export function readProblem(
  thrown: unknown,
  redactor: Pick<ErrorRedactor, 'value'>,
): Readonly<Record<string, unknown>> {
  if (!isErrorValue(thrown)) return {}
  const method = readOnce(thrown, 'toProblem')?.value
  if (typeof method !== 'function') return {}
  try {
    return plainRecord(redactor.value(Reflect.apply(method, thrown, [])))
  } catch {
    return {}
  }
}
