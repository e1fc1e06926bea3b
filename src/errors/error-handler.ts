// Answers a request that failed: notes the error in log and recordings, then draws it in the form the client prefers.
// What the page looks like is handed in; outside debug the answer holds a status and a reference, nothing else.

import { preferredFormat, type AnswerFormat } from '../framework/http/accept.ts'
import { Reply } from '../framework/http/reply.ts'
import type { RequestContext } from '../framework/http/request-context.ts'
import { statusText } from '../framework/http/status-text.ts'
import { contentSecurityPolicy, createNonce } from '../framework/html/document.ts'
import { describeFailure } from '../framework/kernel/describe-failure.ts'
import type { ErrorResponder } from '../framework/kernel/error-reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { errorAnswerFailed, uncaughtError } from '../framework/log/lines.ts'
import type { Suggestion } from '../framework/routing/suggestion.ts'
import { constantHeaders, ownHeaders } from './error-headers.ts'
import type { ErrorRedactor } from './error-redactor.ts'
import type { ErrorView } from './error-view.ts'
import { findHints } from './find-hints.ts'
import { flattenError } from './flatten-error.ts'
import type { ErrorChain } from './flattened-error.ts'
import { gatherView, type ViewParts } from './gather-view.ts'
import type { HintRule } from './hints/hint.ts'
import { renderErrorJson, renderPublicJson } from './json-renderer.ts'
import { errorMarkdownParts, renderErrorMarkdown, renderPublicMarkdown } from './markdown-renderer.ts'
import { maskChain, maskView } from './mask-chain.ts'
import { ownPagePolicy, pageText } from './own-page.ts'
import { readProblem } from './read-problem.ts'
import { createReference } from './reference.ts'
import type { RouteAttempts } from './route-attempts.ts'
import { StackFrames } from './stack-frames.ts'
import type { TextParts } from './text-parts.ts'
import { errorTextParts, renderErrorText, renderPublicText } from './text-renderer.ts'
import { traceLines } from './trace-lines.ts'

/** All that an answer outside debug may hold. */
export interface PublicErrorFacts {
  readonly statusCode: number
  /** Reason phrase: `Not Found`. */
  readonly statusText: string
  /** What an operator searches for in the log. */
  readonly reference: string
}

/** What the page needs besides the view. */
export interface ErrorPageInput {
  /** For styles and scripts; the answer's policy names it. */
  readonly nonce: string
  readonly profilerPath: string | null
  /** What the copy buttons put on the clipboard, masked. */
  readonly copy: { readonly text: TextParts; readonly markdown: TextParts }
}

/** Markup, as a string or as something that becomes one. */
export type Markup = string | { toString(): string }

/** What the handler is made of. */
export interface ErrorHandlerOptions {
  /** Whether answers show the error. */
  readonly debug: boolean
  /** Absolute directory of the application; files below it are own code. */
  readonly projectRoot: string
  readonly redactor: ErrorRedactor
  /** Draws the page of debug mode; needed there, not asked for elsewhere. */
  readonly renderPage?: (view: ErrorView, page: ErrorPageInput) => Markup
  /** Draws the page outside debug. `nonce` is named by the answer's policy, unless `publicPagePolicy` is given. */
  readonly renderPublicPage: (facts: PublicErrorFacts, nonce: string) => Markup
  /**
   * The application's own page outside debug, asked first. When it throws or gives no text, a line is logged and
   * `renderPublicPage` answers with the same status and reference. Default: none.
   */
  readonly ownPublicPage?: (facts: PublicErrorFacts, nonce: string) => Markup
  /** `Content-Security-Policy` of the page outside debug. Default: one that allows styles and scripts of the nonce. */
  readonly publicPagePolicy?: string
  /** Where profiles are, `/_profiler`; `null` where there are none. */
  readonly profilerPath: string | null
  /** Near routes of a request that no route took. Default: none. */
  readonly suggest?: (context: RequestContext) => readonly Suggestion[]
  /** Which routes let a request pass that no route took, and why. Default: not told. */
  readonly attempts?: (context: RequestContext) => RouteAttempts
  /** What explains known errors. Default: nothing. */
  readonly hints?: readonly HintRule[]
  /** Further header fields of every answer, flat. Default: none. */
  readonly headers?: readonly string[]
  /** Takes each error of debug mode, masked, to be printed on a terminal. Default: nobody. */
  readonly print?: (view: ErrorView) => void
}

/** The first of the responders: the page, or its form in JSON, Markdown or text. */
export class ErrorHandler implements ErrorResponder {
  readonly name: string = 'error handler'
  readonly #options: ErrorHandlerOptions
  readonly #frames: StackFrames

  /** Throws a TypeError when debug is on and there is no page to draw. */
  constructor(options: ErrorHandlerOptions) {
    if (options.debug && options.renderPage === undefined)
      throw new TypeError('Option "renderPage" is missing; in debug it must be a function')
    this.#options = options
    this.#frames = new StackFrames(options.projectRoot, { maskText: (text) => options.redactor.text(text) })
  }

  /** Throws what a renderer throws: then the next responder answers. */
  respond(exchange: Exchange, statusCode: number): Reply {
    const failed = exchange.parent ?? exchange
    const thrown = exchange.failure?.thrown
    const reference = createReference()
    const format = formatOf(exchange.context.header('accept'))
    const { chain, masked } = this.#note(exchange, thrown, statusCode, reference)
    const facts = { statusCode, statusText: statusText(statusCode), reference }
    if (!this.#options.debug) return this.#reply(thrown, facts, this.#publicBody(format, facts, failed))
    const { suggestions, attempts } = this.#routing(failed, statusCode)
    const view = gatherView(exchange, {
      statusCode,
      reference,
      chain,
      suggestions,
      attempts,
      hints: findHints(chain, failed, this.#options.hints ?? []),
      redactor: this.#options.redactor,
    })
    return this.#reply(thrown, facts, this.#debugBody(format, { view, masked, thrown }))
  }

  /**
   * Writes the log line and keeps the masked chain on both recordings. The `chain` that it gives is for the client alone: where
   * no route took the request its messages quote address and referer as sent (SPEC 2.2); all others come masked.
   */
  #note(exchange: Exchange, thrown: unknown, statusCode: number, reference: string): NotedChains {
    const { debug, projectRoot, redactor } = this.#options
    const failed = exchange.parent ?? exchange
    const needsTrace = debug || statusCode >= 500
    const bounds = debug ? {} : { maxExcerpts: 0, maxFrames: needsTrace ? 50 : 0 }
    const chain = flattenError(thrown, { projectRoot, redactor, frames: this.#frames, ...bounds })
    const masked = maskChain(chain, redactor)
    const { className, message } = masked.errors[0] ?? { className: 'unknown', message: '' }
    const trace = debug || statusCode < 500 ? {} : { trace: traceLines(masked) }
    failed.recording?.keep('exception', masked)
    exchange.recording?.keep('exception', masked)
    failed.log.write(uncaughtError({ errorClass: className, message, statusCode, reference, ...trace }))
    const isVerbatim = failed.route === undefined && (statusCode === 404 || statusCode === 405)
    return { chain: isVerbatim ? chain : masked, masked }
  }

  #debugBody(format: AnswerFormat, { view, masked, thrown }: FailedRequest): Body {
    const { print, profilerPath, redactor, renderPage } = this.#options
    const shared = print === undefined && format !== 'html' ? view : maskView(view, redactor, masked)
    print?.(shared)
    switch (format) {
      case 'json':
        return {
          type: 'application/problem+json',
          content: renderErrorJson({ ...view, problem: readProblem(thrown, redactor) }),
        }
      case 'markdown':
        return { type: markdownType, content: renderErrorMarkdown(view) }
      case 'text':
        return { type: textType, content: renderErrorText(view) }
      case 'html': {
        const nonce = createNonce()
        const copy = { text: errorTextParts(shared), markdown: errorMarkdownParts(shared) }
        const content = String(renderPage?.(view, { nonce, profilerPath, copy }))
        return { type: htmlType, content, policy: contentSecurityPolicy(nonce) }
      }
    }
  }

  #publicBody(format: AnswerFormat, facts: PublicErrorFacts, failed: Exchange): Body {
    switch (format) {
      case 'json':
        return { type: 'application/problem+json', content: renderPublicJson(facts) }
      case 'markdown':
        return { type: markdownType, content: renderPublicMarkdown(facts) }
      case 'text':
        return { type: textType, content: renderPublicText(facts) }
      case 'html': {
        const nonce = createNonce()
        const own = this.#ownPage(facts, nonce, failed)
        if (own !== null) return { type: htmlType, content: own, policy: ownPagePolicy(nonce) }
        const policy = this.#options.publicPagePolicy ?? contentSecurityPolicy(nonce)
        return { type: htmlType, content: String(this.#options.renderPublicPage(facts, nonce)), policy }
      }
    }
  }

  /** The application's page; `null` where there is none or it cannot be used, which must not cost the answer. */
  #ownPage(facts: PublicErrorFacts, nonce: string, failed: Exchange): string | null {
    const { ownPublicPage } = this.#options
    if (ownPublicPage === undefined) return null
    try {
      return pageText(ownPublicPage(facts, nonce))
    } catch (thrown) {
      failed.log.write(errorAnswerFailed({ level: "application's error page", ...describeFailure(thrown) }))
      return null
    }
  }

  #routing(failed: Exchange, statusCode: number): Pick<ViewParts, 'suggestions' | 'attempts'> {
    if (failed.route !== undefined || (statusCode !== 404 && statusCode !== 405)) return noRouting
    const { suggest, attempts } = this.#options
    try {
      return { suggestions: suggest?.(failed.context) ?? [], attempts: attempts?.(failed.context) }
    } catch {
      // Both are a courtesy; the error itself has to be shown.
      return noRouting
    }
  }

  #reply(thrown: unknown, facts: PublicErrorFacts, body: Body): Reply {
    const headers = ['content-type', body.type, ...constantHeaders]
    if (body.policy !== undefined) headers.push('content-security-policy', body.policy)
    headers.push(...(this.#options.headers ?? []), ...ownHeaders(thrown))
    return new Reply(facts.statusCode, headers, body.content)
  }
}

/** A browser sends the same few `Accept` again and again. */
function formatOf(header: string | undefined): AnswerFormat {
  let format = header === undefined ? 'html' : knownFormats.get(header)
  if (format !== undefined) return format
  format = preferredFormat(header)
  if (header === undefined || header.length > maxKeptAccept) return format
  if (knownFormats.size >= maxFormats) knownFormats.clear()
  knownFormats.set(header, format)
  return format
}

const knownFormats = new Map<string, AnswerFormat>()
const maxFormats = 100
const maxKeptAccept = 500

/** The chain as the client may see it, and as it may be kept. */
interface NotedChains {
  readonly chain: ErrorChain
  readonly masked: ErrorChain
}

interface FailedRequest {
  readonly view: ErrorView
  readonly masked: ErrorChain
  readonly thrown: unknown
}

interface Body {
  readonly type: string
  readonly content: string
  readonly policy?: string
}

const noRouting: Pick<ViewParts, 'suggestions' | 'attempts'> = { suggestions: [], attempts: undefined }

const htmlType = 'text/html; charset=utf-8'
const textType = 'text/plain; charset=utf-8'
const markdownType = 'text/markdown; charset=utf-8'
