// Renders the debug response of a failed request. Loaded with the first error, because it needs many modules.

import { wallMs } from '../base/timing/builtins.ts'
import { contentSecurityPolicy, createNonce } from '../base/html/document.ts'
import type { SafeHtml } from '../base/html/html.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { statusText } from '../base/http/node-http.ts'
import type { ProblemDocument } from '../http/kernel/error-format.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { capturedBody, recordBody } from '../http/recording/captured-body.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import { Drawn } from './drawn.ts'
import type { DebugRenderer, FailedRequest } from './error-handler.ts'
import { ErrorCounts, type SeenErrors } from './error-family.ts'
import { FlattenedCause } from './flatten-error.ts'
import { type ErrorView, maskView, type RouteAttempts } from './error-view.ts'
import type { ErrorRedactor, ErrorChain, FlattenedError } from './flattened-error.ts'
import { renderErrorPage } from './page/error-page.ts'
import type { EditorLink } from '../http/config/editor-link.ts'
import { errorTypes, type ErrorBody } from './public-response.ts'
import { plainRecord, problemOf } from './problem.ts'
import { gatherWork, type Work } from './request-work.ts'
import { renderErrorMarkdown, renderErrorText } from './text-renderer.ts'
import type { Explanation, OriginSource, ValueOrigin } from './value-origin.ts'
import { originSourceLines } from './origin-lines.ts'
import { frameText, variableLines } from './trace-lines.ts'

export interface DebugRendererOptions {
  readonly redactor: ErrorRedactor
  /** Path of the profiler, `/_profiler`; `null` without one. */
  readonly profilerPath: string | null
  /** Links own code to an editor. Default: no links. */
  readonly editor?: EditorLink | undefined
  /** Suggests routes for a request that matched none. Default: none. */
  readonly suggest?: (context: HttpRequest) => readonly Suggestion[]
  /** Explains why no route matched. Default: no explanation. */
  readonly attempts?: (context: HttpRequest) => RouteAttempts
}

export function createDebugRenderer(options: DebugRendererOptions): DebugRenderer {
  const counts = new ErrorCounts()
  const drawn = { markup: new Drawn<SafeHtml>(), text: new Drawn<string>() }
  const shown = (request: FailedRequest): ErrorView => {
    // The family of a miss is that of all paths; what another process threw is not thrown again with each request.
    const isCounted = !request.isMiss && FlattenedCause.chainOf(request.exchange.failure?.thrown) === null
    return viewOf(options, request, isCounted ? counts.note(request.masked, wallMs()) : null)
  }
  const problem = (request: FailedRequest): ProblemDocument => {
    const view = shown(request)
    return { ...problemOf(view, request.members), debug: { ...debugMember(view) } }
  }
  return {
    problem,
    render(request, format) {
      const type = errorTypes[format]
      switch (format) {
        case 'json':
          return { type, content: JSON.stringify(problem(request), null, 2) }
        case 'markdown':
          return { type, content: renderErrorMarkdown(shown(request)) }
        case 'text':
          return { type, content: renderErrorText(shown(request)) }
        case 'html':
          return pageOf(options, request, shown(request), drawn)
      }
    },
  }
}

/** Everything that is shown of a failed request. `exchange` is the sub-request that renders the response, and its parent failed; or the failed request itself. */
function viewOf(
  options: DebugRendererOptions,
  { exchange, statusCode, reference, chain, explanation, isMiss }: FailedRequest,
  seen: SeenErrors | null,
): ErrorView {
  const { redactor } = options
  const failed = exchange.parent ?? exchange
  const { request, route, recording } = failed
  const work = gatherWork(recording, redactor)
  const { suggestions, attempts } = routingOf(options, failed, isMiss)
  return {
    statusCode,
    statusText: statusText(statusCode),
    reference,
    method: request.method,
    url: request.fullUrl,
    route: route?.name ?? null,
    routeParameters: route === undefined ? noParameters : plainRecord(redactor.value(request.params)),
    errorHandler: exchange === failed ? null : exchange.handlerName,
    token: recording?.token ?? null,
    subRequestToken: exchange === failed ? null : (exchange.recording?.token ?? null),
    requestHeaders: redactor.headers(request.rawHeaders),
    query: request.rawQuery === '' ? [] : redactor.query(request.rawQuery),
    body: capturedBody(recordBody(failed), redactor),
    chain,
    log: recording?.logger.records ?? [],
    suggestions,
    ...explanation,
    ...(recording === undefined ? {} : { durationMs: recording.durationMs }),
    ...(seen === null ? {} : { seen }),
    ...(work === undefined ? {} : { work }),
    ...(attempts === undefined ? {} : { attempts }),
  }
}

const noParameters: Readonly<Record<string, unknown>> = {}

function pageOf(
  { redactor, editor, profilerPath }: DebugRendererOptions,
  { masked }: FailedRequest,
  view: ErrorView,
  drawn: { readonly markup: Drawn<SafeHtml>; readonly text: Drawn<string> },
): ErrorBody {
  const nonce = createNonce()
  const copy = { markdown: renderErrorMarkdown(maskView(view, redactor, masked), drawn.text) }
  const page = renderErrorPage(view, {
    nonce,
    profilerPath,
    copy,
    drawn: drawn.markup,
    ...(editor === undefined ? {} : { editor }),
  })
  return { type: errorTypes.html, content: String(page), policy: contentSecurityPolicy(nonce) }
}

type Routing = { readonly suggestions: readonly Suggestion[]; readonly attempts: RouteAttempts | undefined }

function routingOf({ suggest, attempts }: DebugRendererOptions, { request }: Exchange, isMiss: boolean): Routing {
  try {
    if (isMiss) return { suggestions: suggest?.(request) ?? [], attempts: attempts?.(request) }
  } catch {
    // The error itself must be shown.
  }
  return { suggestions: [], attempts: undefined }
}

/** What debug adds to a problem document, as its member `debug`. */
export interface ProblemDebug
  extends
    ChainData,
    Pick<ErrorView, 'method' | 'url' | 'route' | 'token' | 'suggestions'>,
    Pick<Explanation, 'hints' | 'candidates'> {
  /** Of the outermost error. */
  readonly message: string
  /** Queries, outgoing requests and spans so far. Absent if there are none. */
  readonly work?: readonly Work[]
  readonly origins: readonly OriginData[]
}

/** The origin of a value, with its source as lines of text. */
export interface OriginData extends Omit<ValueOrigin, 'source'> {
  readonly source: (Omit<OriginSource, 'parts'> & { readonly lines: readonly string[] }) | null
}

export interface ChainData {
  /** Outermost first. */
  readonly errors: readonly ErrorData[]
  /** What was left out. Absent if nothing was. */
  readonly cut?: string
}

export interface ErrorData {
  readonly class: string
  readonly message: string
  readonly code: string | null
  readonly properties: Readonly<Record<string, string>>
  readonly trace: readonly string[]
  /** Members of an AggregateError, each with its causes. */
  readonly members?: readonly ChainData[]
}

export function debugMember(view: ErrorView): ProblemDebug {
  const outermost = view.chain.errors[0]
  return {
    message: outermost?.message ?? '',
    method: view.method,
    url: view.url,
    route: view.route,
    token: view.token,
    ...chainData(view.chain),
    ...(view.work === undefined ? {} : { work: view.work.work }),
    suggestions: view.suggestions,
    hints: view.hints ?? [],
    origins: (view.origins ?? []).map(originData),
    candidates: view.candidates ?? [],
  }
}

function originData({ source, ...origin }: ValueOrigin): OriginData {
  if (source === null) return { ...origin, source }
  const { file, line, marked } = source
  return { ...origin, source: { file, line, marked, lines: originSourceLines(source) } }
}

function chainData(chain: ErrorChain): ChainData {
  return { errors: chain.errors.map(errorData), ...(chain.cut === null ? {} : { cut: chain.cut }) }
}

function errorData(error: FlattenedError): ErrorData {
  // Without a prototype, because the error chooses the names: `__proto__` is a name like others.
  const properties: Record<string, string> = Object.create(null)
  for (const { name, value } of error.properties) properties[name] = value
  return {
    class: error.className,
    message: error.message,
    code: error.code,
    properties,
    trace: error.frames.flatMap((frame) => [frameText(frame), variableLines(frame)].flat()),
    ...(error.members.length === 0 ? {} : { members: error.members.map(chainData) }),
  }
}
