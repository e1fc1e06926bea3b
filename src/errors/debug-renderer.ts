// Renders the debug response of a failed request. Loaded with the first error, because it needs many modules.

import { contentSecurityPolicy, createNonce } from '../base/html/document.ts'
import type { SafeHtml } from '../base/html/html.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { statusText } from '../base/http/node-http.ts'
import type { ProblemDocument } from '../http/kernel/handler-options.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { capturedBody, recordBody, type CapturedBody } from '../http/recording/captured-body.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import { Drawn } from './drawn.ts'
import type { DebugRenderer, FailedRequest } from './error-handler.ts'
import { type ErrorView, maskView, type RouteAttempts, gatherWork, type Work, workLines } from './error-view.ts'
import type { ErrorRedactor, ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import { renderErrorPage } from './page/error-page.ts'
import type { EditorLink } from '../http/config/editor-link.ts'
import { errorTypes, type ErrorBody } from './public-response.ts'
import { plainRecord, problemOf } from './problem.ts'
import type { Explanation, OriginSource, ValueOrigin, ChangeCandidate } from './value-origin.ts'
import { originSourceLines, candidateLine, originHead } from './origin-lines.ts'
import { frameText, variableLines, excerptLines, framePlace, leadingFrame } from './trace-lines.ts'
import { fillPlaceholders } from '../base/log/logger.ts'
import { contentText } from '../http/recording/body-content.ts'
import { visibleLine, codeBlock, codeSpan, plainText } from '../base/markdown-text.ts'

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
  const drawn = { markup: new Drawn<SafeHtml>(), text: new Drawn<string>() }
  const problem = (request: FailedRequest): ProblemDocument => {
    const view = viewOf(options, request)
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
          return { type, content: renderErrorMarkdown(viewOf(options, request)) }
        case 'text':
          return { type, content: renderErrorText(viewOf(options, request)) }
        case 'html':
          return pageOf(options, request, viewOf(options, request), drawn)
      }
    },
  }
}

/** Everything that is shown of a failed request. `exchange` is the sub-request that renders the response, and its parent failed; or the failed request itself. */
function viewOf(
  options: DebugRendererOptions,
  { exchange, statusCode, reference, chain, explanation, isMiss, seen }: FailedRequest,
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
interface ProblemDebug
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
interface OriginData extends Omit<ValueOrigin, 'source'> {
  readonly source: (Omit<OriginSource, 'parts'> & { readonly lines: readonly string[] }) | null
}

interface ChainData {
  /** Outermost first. */
  readonly errors: readonly ErrorData[]
  /** What was left out. Absent if nothing was. */
  readonly cut?: string
}

interface ErrorData {
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

/** What the page copies as text. */
export function renderErrorText(view: ErrorView): string {
  return plainText(renderErrorMarkdown(view))
}

/** What is known of the request itself, line by line. */
function requestLines(view: ErrorView): Readonly<Record<string, readonly string[]>> {
  return {
    Log: view.log.slice(0, maxLogLines).map(logLine),
    'Work so far': workLines(view.work),
    Query: view.query.map(([name, value]) => `${name}=${value}`),
    'Request headers': view.requestHeaders.map(([name, value]) => `${name}: ${value}`),
    'Request body': bodyLines(view.body),
  }
}

/** A log record on one line: `   12.3 ms  WARN   router  No route.` */
function logLine(record: ErrorView['log'][number]): string {
  const time = `${record.timeMs.toFixed(1)} ms`.padStart(11)
  return visibleLine(`${time}  ${record.level.toUpperCase().padEnd(5)}  ${record.channel}  ${fillPlaceholders(record)}`)
}

const maxLogLines = 100

/** At most 40 lines. The caller escapes control characters. */
function bodyLines(body: CapturedBody | undefined): string[] {
  const text = body?.content ? contentText(body.content, true) : null
  return text === null ? [] : cut(text.slice(0, 8192).split('\n'))
}

const maxLines = 40

function cut(lines: string[]): string[] {
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`]
}

/** `drawn` has pieces of other errors. Default: none. */
export function renderErrorMarkdown(view: ErrorView, drawn: Drawn<string> = new Drawn()): string {
  const sections = [
    headSection(view),
    adviceSection(view),
    candidateSection(view, drawn),
    ...chainBlocks(view.chain, 2, drawn),
    originSection(view, drawn),
    ...Object.entries(requestLines(view)).map(([title, lines]) => blockSection(title, lines)),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** The errors of a chain as sections, with the source of the first own frame. */
function chainBlocks(chain: ErrorChain, level: number, drawn: Drawn<string>): string[] {
  const total = chain.errors.length
  const blocks = chain.errors.flatMap((error, index) => errorBlocks(error, `[${total - index}/${total}]`, level, drawn))
  return chain.cut === null ? blocks : [...blocks, `_Cut here: ${chain.cut}._`]
}

/** A titled fence, or nothing without lines. */
function blockSection(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${codeBlock(lines.join('\n'), 'text')}`
}

const deepestHeading = 6

function headSection(view: ErrorView): string {
  const { method, url, route, subRequestToken, errorHandler, token, reference } = view
  const facts = [
    `Request: ${codeSpan(`${method} ${url}`)}`,
    ...(route === null ? [] : [`Route: ${codeSpan(route)}`]),
    ...(subRequestToken === null ? [] : [`Forwarded to ${errorHandler} (${codeSpan(subRequestToken)})`]),
    ...(token === null ? [] : [`Profile: ${codeSpan(token)}`]),
    `Error ID: ${codeSpan(reference)}`,
  ]
  return `# Error ${view.statusCode} ${view.statusText}\n\n- ${facts.join('\n- ')}`
}

function adviceSection(view: ErrorView): string {
  const hints = (view.hints ?? []).map(({ title, text }) => `- ${codeSpan(title)}: ${codeSpan(text)}`)
  const routes = view.suggestions.map(({ method, url, pattern, routeName, reason }) => {
    return `- ${codeSpan(`${method} ${url ?? pattern}`)} (route ${codeSpan(routeName)}): ${codeSpan(reason)}`
  })
  const items = [...hints, ...routes]
  return items.length === 0 ? '' : `## How to fix it\n\n${items.join('\n')}`
}

function candidateSection({ candidates = [] }: ErrorView, drawn: Drawn<string>): string {
  if (candidates.length === 0) return ''
  const item = (candidate: ChangeCandidate): string => `1. ${codeSpan(candidateLine(candidate))}`
  const items = candidates.map((candidate) => drawn.piece(candidate, '', () => item(candidate)))
  return `## Where to change it\n\nMost likely first.\n\n${items.join('\n')}`
}

function originSection({ origins = [] }: ErrorView, drawn: Drawn<string>): string {
  if (origins.length === 0) return ''
  const block = (origin: ValueOrigin): string => {
    const head = codeSpan(originHead(origin))
    return origin.source === null ? head : `${head}\n\n${codeBlock(originSourceLines(origin.source).join('\n'), 'ts')}`
  }
  const blocks = origins.map((origin) => drawn.piece(origin, '', () => block(origin)))
  return `## Where the value comes from\n\n${blocks.join('\n\n')}`
}

function errorBlocks(error: FlattenedError, position: string, level: number, drawn: Drawn<string>): string[] {
  const properties = error.properties.map(({ name, value }) => `- ${codeSpan(`${name}: ${value}`)}`)
  return [
    `${'#'.repeat(Math.min(level, deepestHeading))} ${position} ${codeSpan(error.className)}`,
    ...(error.message === '' ? [] : [codeBlock(error.message, 'text')]),
    ...(properties.length === 0 ? [] : [properties.join('\n')]),
    ...frameBlocks(error.frames, drawn),
    ...error.members.flatMap((member) => chainBlocks(member, level + 1, drawn)),
  ]
}

/** The source of the most useful frame, and the frames down to the last own one. */
function frameBlocks(frames: readonly Frame[], drawn: Drawn<string>): string[] {
  if (frames.length === 0) return []
  const shown = frames.slice(0, frames.findLastIndex(({ origin }) => origin === 'own') + 1 || frames.length)
  const more = frames.length - shown.length
  const lines = shown
    .flatMap((frame) => [`at ${frameText(frame)}`, variableLines(frame).map((line) => `   ${line}`)].flat())
    .concat(more === 0 ? [] : [`${more} more, none of them own code`])
  const trace = codeBlock(lines.join('\n'), 'text')
  const leading = leadingFrame(frames)
  if (!leading?.excerpt) return [trace]
  const source = (): string => codeBlock(excerptLines(leading, 4).join('\n'), 'ts')
  return [codeSpan(framePlace(leading)), drawn.piece(leading.excerpt, String(leading.line), source), trace]
}
