// Responds to a request that failed: logs the error, then shows it to the client in the format it prefers.

import { preferredFormat, type ResponseFormat } from '../framework/http/accept.ts'
import { isHttpError } from '../framework/http/http-error.ts'
import { http } from '../framework/http/node-http.ts'
import { ownWindowHeaders, protectiveHeaders } from '../framework/http/protective-headers.ts'
import type { HttpRequest } from '../framework/http/request.ts'
import { Reply } from '../framework/http/reply.ts'
import { statusText } from '../framework/http/status-text.ts'
import type { Awaitable } from '../framework/kernel/awaitable.ts'
import { describeFailure } from '../framework/kernel/describe-failure.ts'
import type { ErrorResponder } from '../framework/kernel/error-reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { responderFailed, uncaughtError, type ThrownFacts, type TracedFacts } from '../framework/log/lines.ts'
import type { Log, LogEntry } from '../framework/log/logger.ts'
import { isReadable } from '../framework/redact/value-marks.ts'
import { maskChain } from './error-view.ts'
import { flattenError, type FrameReader } from './flatten-error.ts'
import type { ErrorRedactor, ErrorChain } from './flattened-error.ts'
import { MissLog, type MissFacts } from './miss-log.ts'
import type { PublicErrorFacts } from './page/quiet-page.ts'
import { createReference, ownPageBody, publicBody, type ErrorBody, type OwnErrorPage } from './public-response.ts'
import { traceLines } from './trace-lines.ts'
import type { ExplainedChain, Explanation } from './value-origin.ts'

export interface FailedRequest {
  /** The sub-request that renders the response; its parent failed. */
  readonly exchange: Exchange
  readonly thrown: unknown
  readonly statusCode: number
  readonly reference: string
  /** Whether no route matched. */
  readonly isMiss: boolean
  /** Masked, except that the messages of a miss quote URL and referer as sent (SPEC 2.2). */
  readonly chain: ErrorChain
  readonly masked: ErrorChain
  readonly explanation: Explanation | undefined
}

/** Explains a masked chain, of a failed request where one is known. */
export type ExplainError = (chain: ErrorChain, failed: Exchange | undefined) => Explanation

/** Shows an error in full. If it throws, the next responder takes over. */
export interface DebugRenderer {
  render(request: FailedRequest, format: ResponseFormat): ErrorBody
}

/** The two functions are called with the first error that needs them, so they can load modules. */
export interface ErrorHandlerOptions {
  readonly redactor: ErrorRedactor
  /** Counts repeated misses. */
  readonly log: Log
  /** Reads the stacks of server errors; in debug, of every error. */
  readonly frames: () => Awaitable<FrameReader>
  /**
   * Shows errors in full to clients that may see them; `null` for all others, who only see a status and a reference. `null` outside
   * debug.
   */
  readonly debugRenderer: ((request: HttpRequest) => Awaitable<DebugRenderer | null>) | null
  /** Explains errors for pages and profiles. Default: nothing is explained. Only for debug. */
  readonly explain?: ExplainError | undefined
  /**
   * The application's own page for all other clients. If it throws or returns no markup, a line is logged and the built-in page is sent
   * with the same status and reference. Default: the built-in page.
   */
  readonly errorPage?: OwnErrorPage
}

/** What an error is read and shown with. */
export interface ErrorTools {
  readonly frames: FrameReader
  /** `null` where nothing is shown. */
  readonly renderer: DebugRenderer | null
}

/** The first responder: responds with a page, JSON, Markdown or text. */
export class ErrorHandler implements ErrorResponder {
  readonly name = 'error handler'
  readonly #options: ErrorHandlerOptions
  readonly #misses: MissLog

  constructor(options: ErrorHandlerOptions) {
    this.#options = options
    this.#misses = new MissLog(options.log)
  }

  /** Rejects with what a debug renderer throws. */
  async respond(exchange: Exchange, statusCode: number): Promise<Reply> {
    const { debugRenderer } = this.#options
    const failed = exchange.parent ?? exchange
    const format = preferredFormat(exchange.request.header('accept'))
    const isMiss = isMissOf(failed, statusCode)
    const thrown = exchange.failure?.thrown
    let reference: string
    if (debugRenderer === null && isMiss) {
      reference = this.#misses.note(failed.request, statusCode, () => this.#describe(thrown))
    } else {
      const frames = debugRenderer !== null || statusCode >= 500 ? await this.#frames() : null
      const noted = this.#note(exchange, statusCode, frames)
      reference = noted.reference
      const renderer = await debugRenderer?.(failed.request)
      if (renderer) return showNoted(exchange, statusCode, noted, renderer)
    }
    const facts = { statusCode, statusText: statusText(statusCode), reference }
    const own = format === 'html' ? this.#ownPage(facts, failed) : null
    return makeReply(statusCode, own ?? publicBody(format, facts), ownHeaders(thrown))
  }

  /**
   * The same in full and at once, for a response that cannot wait. `exchange` is the sub-request, or the failed request for an error
   * that is only noted: without a renderer there is no reply. Throws what the renderer throws.
   */
  respondNow(exchange: Exchange, statusCode: number, { frames, renderer }: ErrorTools): Reply | null {
    const noted = this.#note(exchange, statusCode, frames)
    return renderer === null ? null : showNoted(exchange, statusCode, noted, renderer)
  }

  /**
   * Logs what no response can show, with its trace, and keeps it on the recording of its request. Never rejects; the entry is
   * written in any case.
   */
  async note(thrown: unknown, entry: (facts: TracedFacts) => LogEntry, exchange: Exchange | undefined): Promise<void> {
    const { masked, named } = this.#read(thrown, await this.#frames())
    const { recording } = exchange ?? {}
    recording?.keep('exception', { ...masked, ...this.#explain(masked, exchange) })
    const log = exchange?.log ?? this.#options.log
    log.write(entry({ ...named, trace: traceLines(masked) }))
  }

  /** Logs the counted repeats of misses. Call it before the log is closed. */
  close(): void {
    this.#misses.flush()
  }

  /** Writes the log line and keeps the masked chain on both recordings. */
  #note(exchange: Exchange, statusCode: number, frames: FrameReader | null): NotedError {
    const isDebug = this.#options.debugRenderer !== null
    const failed = exchange.parent ?? exchange
    const isServerError = statusCode >= 500
    const { chain, masked, named } = this.#read(exchange.failure?.thrown, frames)
    // In debug the profile shows the trace.
    const trace = isDebug || !isServerError ? {} : { trace: traceLines(masked) }
    const reference = createReference()
    const explanation = this.#explain(masked, failed)
    const kept: ExplainedChain = { ...masked, ...explanation }
    failed.recording?.keep('exception', kept)
    exchange.recording?.keep('exception', kept)
    failed.log.write(uncaughtError({ ...named, statusCode, reference, ...trace }))
    return { chain, masked, reference, explanation }
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

  #describe(thrown: unknown): MissFacts {
    const { redactor } = this.#options
    const [error] = flattenError(thrown, { redactor, frames: null, maxCauses: 1 }).errors
    return { errorClass: error?.className ?? 'unknown', message: redactor.text(error?.message ?? '') }
  }

  /** The application's page; `null` without one or if it cannot be used. */
  #ownPage(facts: PublicErrorFacts, failed: Exchange): ErrorBody | null {
    const { errorPage } = this.#options
    if (errorPage === undefined) return null
    try {
      return ownPageBody(errorPage, facts)
    } catch (thrown) {
      failed.log.write(responderFailed({ responder: "application's error page", ...describeFailure(thrown) }))
      return null
    }
  }
}

interface ReadError {
  readonly chain: ErrorChain
  readonly masked: ErrorChain
  readonly named: ThrownFacts
}

interface NotedError extends Omit<ReadError, 'named'> {
  readonly reference: string
  readonly explanation: Explanation | undefined
}

function showNoted(exchange: Exchange, statusCode: number, noted: NotedError, renderer: DebugRenderer): Reply {
  const failed = exchange.parent ?? exchange
  const thrown = exchange.failure?.thrown
  const isMiss = isMissOf(failed, statusCode)
  // Our own words quote the URL as sent; those of other code may hold anything.
  const chain = isMiss && isReadable(thrown) && isHttpError(thrown) ? noted.chain : noted.masked
  const format = preferredFormat(exchange.request.header('accept'))
  const body = renderer.render({ ...noted, exchange, thrown, statusCode, isMiss, chain }, format)
  return makeReply(statusCode, body, [...ownWindowHeaders, ...ownHeaders(thrown)])
}

/** Whether no route matched. */
function isMissOf({ route }: Exchange, statusCode: number): boolean {
  return route === undefined && (statusCode === 404 || statusCode === 405)
}

function makeReply(statusCode: number, { type, content, policy }: ErrorBody, more: readonly string[]): Reply {
  const headers = ['content-type', type, ...constantHeaders]
  if (policy !== undefined) headers.push('content-security-policy', policy)
  return new Reply(statusCode, [...headers, ...more], content)
}

/** Header fields of every error response, flat (SECURITY R14). */
export const constantHeaders: readonly string[] = [
  ...protectiveHeaders,
  'vary',
  'Accept',
  'referrer-policy',
  'no-referrer',
]

/**
 * Header fields of an HTTP error (`Allow`, `Retry-After`, …), flat, without invalid ones and those that the handler decides. Never
 * throws.
 */
export function ownHeaders(thrown: unknown): string[] {
  const headers: string[] = []
  if (!isReadable(thrown) || !isHttpError(thrown)) return headers
  try {
    const own: readonly unknown[] = thrown.headers
    if (!Array.isArray(own)) return headers
    for (let index = 0; index + 1 < own.length && index < maxOwnFields * 2; index += 2) {
      const name: unknown = own[index]
      const value: unknown = own[index + 1]
      if (typeof name === 'string' && typeof value === 'string' && isFit(name, value)) headers.push(name, value)
    }
  } catch {
    // A list that cannot be read counts as none.
  }
  return headers
}

const maxOwnFields = 50

// The renderer decides what describes the body, the server what describes the connection.
const decidedElsewhere: ReadonlySet<string> = new Set(
  [
    [...constantHeaders, ...ownWindowHeaders].filter((_, index) => index % 2 === 0),
    ['content-type', 'content-length', 'content-encoding', 'content-security-policy', 'transfer-encoding', 'etag'],
    ['connection', 'keep-alive', 'trailer', 'upgrade', 'date', 'last-modified'],
  ].flat(),
)

function isFit(name: string, value: string): boolean {
  if (decidedElsewhere.has(name.toLowerCase())) return false
  try {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
