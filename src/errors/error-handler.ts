// Responds to a request that failed: logs the error, then shows it to the client in the format it prefers.

import { preferredFormat, type ResponseFormat } from '../base/http/media-type.ts'
import { isHttpError, type ProblemMembers } from '../base/http/http-error.ts'
import { ownWindowHeaders } from '../base/http/header-fields.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { Reply } from '../base/http/reply.ts'
import { statusText } from '../base/http/node-http.ts'
import { wallMs } from '../base/timing/builtins.ts'
import type { Awaitable } from '../base/members.ts'
import type { ErrorResponder } from '../http/kernel/error-reply.ts'
import type { ErrorFormat, ErrorFormatter, ErrorSummary, ProblemDocument } from '../http/kernel/handler-options.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { withCookies } from '../http/kernel/handler.ts'
import { Miss, unreadMiss } from '../http/kernel/route-step.ts'
import { failedRequest, responderFailed, type ThrownFacts, type TracedFacts } from '../base/log/lines.ts'
import type { Log, LogEntry } from '../base/log/logger.ts'
import { isReadable } from '../base/redact/walk-value.ts'
import { errorHeaders, ownHeaders, withMissing, ownMembers, problemOf } from './problem.ts'
import { ErrorCounts, type SeenErrors } from './error-family.ts'
import { maskChain } from './error-view.ts'
import { FlattenedCause, flattenError, type FrameReader } from './flatten-error.ts'
import type { ErrorRedactor, ErrorChain } from './flattened-error.ts'
import type { PublicErrorFacts } from './page/quiet-page.ts'
import { makeReply, ownPageBody, PublicReplies, type ErrorBody, type OwnErrorPage } from './public-response.ts'
import { traceLines } from './trace-lines.ts'
import { exceptionName, type ExplainedChain, type Explanation } from './value-origin.ts'

export interface FailedRequest {
  /** What renders the response: a sub-request of what failed, or that itself. */
  readonly exchange: Exchange
  readonly statusCode: number
  readonly reference: string
  /** What the error adds to its problem document. */
  readonly members: ProblemMembers | null
  /** Whether no route matched. */
  readonly isMiss: boolean
  /** Masked, except that the messages of a miss quote URL and referer as sent (SPEC 2.2). */
  readonly chain: ErrorChain
  readonly masked: ErrorChain
  readonly explanation: Explanation | undefined
  /** How often its family was seen; `null` for a miss, and for what another process threw. */
  readonly seen: SeenErrors | null
}

/** Explains a masked chain, of a failed request if one is known. */
export type ExplainError = (chain: ErrorChain, failed: Exchange | undefined) => Explanation

/** Shows an error in full. If it throws, the next responder takes over. */
export interface DebugRenderer {
  render(request: FailedRequest, format: ResponseFormat): ErrorBody
  /** The problem document with the member `debug`. */
  problem(request: FailedRequest): ProblemDocument
}

/** The two functions are called with the first error that needs them, so they can load modules. */
export interface ErrorHandlerOptions {
  readonly redactor: ErrorRedactor
  /** For what belongs to no request. */
  readonly log: Log
  /** Reads the stacks of server errors; in debug, of every error. */
  readonly frames: () => Awaitable<FrameReader>
  /** Shows errors in full to clients that may see them; `null` for all others, who only see a status and a reference. `null` outside debug. */
  readonly debugRenderer: ((request: HttpRequest) => Awaitable<DebugRenderer | null>) | null
  /** Explains errors for pages and profiles. Default: nothing is explained. Only for debug. */
  readonly explain?: ExplainError | undefined
  /**
   * The application's own page for all other clients. If it throws or returns no markup, a line is logged and the built-in page is sent
   * with the same status and reference. Default: the built-in page.
   */
  readonly errorPage?: OwnErrorPage
  /** The format of responses to a request that failed. Default: `Accept` decides. */
  readonly errorFormat?: ((failed: Exchange) => ErrorFormat | undefined) | undefined
  /** Whether each response from 400 on has an access line; outside debug one below 500 then gets no other. Default: no. */
  readonly hasAccessLines?: boolean
  /** Gives a terminal the errors of the server that are shown. Default: nothing is printed. */
  readonly print?: PrintError | undefined
  /** Keeps each error of the server. Default: nobody does. */
  readonly files?: { save(request: FailedRequest): void } | undefined
}

/** Prints the masked error of a request. */
export type PrintError = (failed: Exchange, statusCode: number, chain: ExplainedChain) => void

export interface ErrorTools {
  readonly frames: FrameReader
  /** `null` if nothing is shown. */
  readonly renderer: DebugRenderer | null
}

/** The first responder: responds with a page, JSON, Markdown or text. */
export class ErrorHandler implements ErrorResponder {
  readonly name = 'error handler'
  readonly #options: ErrorHandlerOptions
  readonly #replies = new PublicReplies()
  readonly #counts = new ErrorCounts()

  constructor(options: ErrorHandlerOptions) {
    this.#options = options
  }

  /** Rejects with what a debug renderer throws. */
  respond(exchange: Exchange, statusCode: number): Awaitable<Reply> {
    if (!this.#isQuiet(statusCode)) return this.#respondInFull(exchange, statusCode)
    this.#noteQuietly(exchange, statusCode)
    return this.#replyTo(exchange, statusCode, null, null)
  }

  async #respondInFull(exchange: Exchange, statusCode: number): Promise<Reply> {
    const renderer = (await this.#options.debugRenderer?.((exchange.parent ?? exchange).request)) ?? null
    const request = this.#note(exchange, statusCode, await this.#frames(), renderer !== null)
    return this.#replyTo(exchange, statusCode, request, renderer)
  }

  #replyTo(
    exchange: Exchange,
    statusCode: number,
    request: FailedRequest | null,
    renderer: DebugRenderer | null,
  ): Awaitable<Reply> {
    const failed = exchange.parent ?? exchange
    const miss = unreadMiss(exchange.failure)
    const thrown = miss === undefined ? exchange.failure?.thrown : undefined
    const facts = { statusCode, statusText: statusText(statusCode), reference: failed.id }
    const members = request === null ? ownMembers(statusCode, thrown, this.#options.redactor) : request.members
    const format = this.#options.errorFormat?.(failed)
    const made = (): Reply => {
      const isNegotiated = typeof format !== 'string'
      const named = format === 'problem' ? 'json' : 'html'
      const form = isNegotiated ? preferredFormat(exchange.request.header('accept')) : named
      if (request !== null && renderer) return shown(request, renderer, form, isNegotiated)
      const fields = miss?.headers ?? ownHeaders(thrown)
      const ownPage = form === 'html' ? this.#ownPage(facts, failed) : null
      if (ownPage !== null) return makeReply(statusCode, ownPage, isNegotiated, fields)
      return this.#replies.of(form, isNegotiated, facts, members, fields)
    }
    if (typeof format !== 'function') return made()
    const problem = request !== null && renderer ? renderer.problem(request) : problemOf(facts, members)
    return this.#ownReply(format, { ...facts, problem }, failed).then((own) => own ?? made())
  }

  /** Logs an error that a listener has responded to, and keeps it for the profile. */
  async noteHandled(exchange: Exchange, statusCode: number): Promise<void> {
    if (this.#isQuiet(statusCode)) this.#noteQuietly(exchange, statusCode)
    else this.#note(exchange, statusCode, await this.#frames())
  }

  /**
   * The same in full and at once, for a response that cannot wait. Without a renderer the error is only noted, and there is no reply.
   * Throws what the renderer throws.
   */
  respondNow(exchange: Exchange, statusCode: number, { frames, renderer }: ErrorTools): Reply | null {
    const request = this.#note(exchange, statusCode, frames)
    if (renderer === null) return null
    return shown(request, renderer, preferredFormat(exchange.request.header('accept')), true)
  }

  /**
   * Logs what no response can show, with its trace, and keeps it on the recording of its request. Never rejects; the entry is
   * written in any case.
   */
  async note(thrown: unknown, entry: (facts: TracedFacts) => LogEntry, exchange: Exchange | undefined): Promise<void> {
    const { masked, named } = this.#read(thrown, await this.#frames())
    const { recording } = exchange ?? {}
    recording?.keep(exceptionName, { ...masked, ...this.#explain(masked, exchange) })
    const log = exchange?.log ?? this.#options.log
    log.write(entry({ ...named, trace: traceLines(masked) }))
  }

  /** Outside debug nobody sees more of a response below 500 than its access line says. */
  #isQuiet(statusCode: number): boolean {
    return this.#options.debugRenderer === null && statusCode < 500
  }

  #noteQuietly(exchange: Exchange, statusCode: number): void {
    const { redactor, hasAccessLines = false } = this.#options
    const failed = exchange.parent ?? exchange
    // What nobody threw is an event only for who looks for it.
    const level = exchange.failure instanceof Miss ? 'debug' : 'info'
    if (hasAccessLines || !failed.log.wants(level, 'kernel')) return
    const { errorClass, message } = unreadMiss(exchange.failure) ?? describeFailure(exchange.failure?.thrown)
    const named = { errorClass: redactor.text(errorClass), message: redactor.text(message) }
    failed.log.write({ ...failedRequest({ ...factsOf(failed, statusCode), ...named }), level })
  }

  /** Writes the log line and keeps the masked chain on both recordings. `isShown`: a terminal gets it in full, too. */
  #note(exchange: Exchange, statusCode: number, frames: FrameReader | null, isShown = false): FailedRequest {
    const { redactor } = this.#options
    const print = isShown && statusCode >= 500 ? this.#options.print : undefined
    const failed = exchange.parent ?? exchange
    const thrown = exchange.failure?.thrown
    const { chain, masked: read, named } = this.#read(thrown, frames)
    const reference = failed.id
    const explanation = this.#explain(read, failed)
    const kept: ExplainedChain = { ...read, ...explanation }
    const masked = { ...read, errors: kept.errors }
    failed.recording?.keep(exceptionName, kept)
    exchange.recording?.keep(exceptionName, kept)
    const trace = statusCode < 500 || print !== undefined ? undefined : traceLines(masked)
    failed.log.write(failedRequest({ ...factsOf(failed, statusCode), ...named, trace }))
    print?.(failed, statusCode, kept)
    const isMiss = failed.route === undefined && (statusCode === 404 || statusCode === 405)
    // The family of a miss is that of all paths; what another process threw is not thrown again with each request.
    const isCounted = !isMiss && FlattenedCause.chainOf(thrown) === null
    const request: FailedRequest = {
      exchange,
      statusCode,
      reference,
      isMiss,
      // Our own words quote the URL as sent; those of other code may hold anything.
      chain: isMiss && isReadable(thrown) && isHttpError(thrown) ? chain : masked,
      masked,
      explanation,
      seen: isCounted ? this.#counts.note(masked, wallMs()) : null,
      members: ownMembers(statusCode, thrown, redactor),
    }
    if (statusCode >= 500) this.#options.files?.save(request)
    return request
  }

  /** A failure explains nothing; the error itself must be shown. */
  #explain(chain: ErrorChain, failed: Exchange | undefined): Explanation | undefined {
    try {
      return this.#options.explain?.(chain, failed)
    } catch {
      return undefined
    }
  }

  /** The thrown value as data. Source is read in debug only: nobody else sees it. */
  #read(thrown: unknown, frames: FrameReader | null): ReadError {
    const { debugRenderer, redactor } = this.#options
    const chain = flattenError(thrown, { redactor, frames, ...(debugRenderer === null ? { maxExcerpts: 0 } : {}) })
    const masked = maskChain(chain, redactor)
    const { className: errorClass, message } = masked.errors[0] ?? { className: 'unknown', message: '' }
    return { chain, masked, named: { errorClass, message } }
  }

  /** The error is logged even if its frames cannot be loaded. */
  async #frames(): Promise<FrameReader | null> {
    try {
      return await this.#options.frames()
    } catch {
      return null
    }
  }

  /** The application's page; `null` without one or if it cannot be used. */
  #ownPage(facts: PublicErrorFacts, failed: Exchange): ErrorBody | null {
    const { errorPage } = this.#options
    if (errorPage === undefined) return null
    failed.recording?.resume()
    try {
      return ownPageBody(errorPage, facts)
    } catch (thrown) {
      failed.log.write(responderFailed({ responder: "application's error page", ...describeFailure(thrown) }))
      return null
    } finally {
      failed.recording?.pause()
    }
  }

  /** The response of the application's function; `null` if it cannot be used. */
  async #ownReply(format: ErrorFormatter, error: ErrorSummary, failed: Exchange): Promise<Reply | null> {
    failed.recording?.resume()
    try {
      const reply: unknown = await format(error, failed)
      if (!(reply instanceof Reply)) {
        throw new TypeError('errorFormat must return a Reply: json(), text(), or reply(html`…`)')
      }
      const { headers, body } = withCookies(reply, failed)
      // The status never depends on the format. A copy: the application may send the same reply for other errors.
      const own = new Reply(error.statusCode, [...headers], body)
      return withMissing(own, [...errorHeaders, ...ownHeaders(failed.failure?.thrown)])
    } catch (thrown) {
      failed.log.write(responderFailed({ responder: "application's errorFormat", ...describeFailure(thrown) }))
      return null
    } finally {
      failed.recording?.pause()
    }
  }
}

interface ReadError extends Pick<FailedRequest, 'chain' | 'masked'> {
  readonly named: ThrownFacts
}

type RequestFacts = Omit<Parameters<typeof failedRequest>[0], keyof ThrownFacts>

function factsOf({ request, route, id: reference }: Exchange, statusCode: number): RequestFacts {
  return { method: request.method, url: request.fullUrl, route: route?.name ?? null, statusCode, reference }
}

function shown(request: FailedRequest, renderer: DebugRenderer, form: ResponseFormat, isNegotiated: boolean): Reply {
  const { exchange, statusCode } = request
  const more = [...ownWindowHeaders, ...ownHeaders(exchange.failure?.thrown)]
  return makeReply(statusCode, renderer.render(request, form), isNegotiated, more)
}
