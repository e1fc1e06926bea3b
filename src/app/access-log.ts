// A line for each response outside debug: what was asked, what left, and how long it was worked on.

import type { AccessLines } from '../http/config/variables.ts'
import { createRequestId } from '../base/http/request-id.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { unreadMiss } from '../http/kernel/route-step.ts'
import type { Exchange, Failure, SentResponse } from '../http/kernel/exchange.ts'
import type { LogSink } from '../base/log/logger.ts'
import type { Refusal } from '../http/node/request-handler.ts'
import { didYouMean } from '../base/options/check-options.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { isNamed, isTarget } from '../stores/lock/closure.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'

interface AccessLogOptions {
  readonly lines: Exclude<AccessLines, 'off'>
  /** Paths, with `/*` also all below, and names of routes without a line, unless the response is a failure of the server. */
  readonly except: readonly string[]
  readonly sink: LogSink
  readonly redactor: Redactor
}

const channel = 'access'

/** Writes access lines. Their values are masked here, so the sink gets them as they are. */
export class AccessLog {
  readonly #sink: LogSink
  readonly #redactor: Redactor
  /** Of the responses below 400. */
  readonly #share: number
  readonly #except: readonly string[]

  constructor({ lines, except, sink, redactor }: AccessLogOptions) {
    this.#sink = sink
    this.#redactor = redactor
    this.#share = typeof lines === 'number' ? lines : lines === 'all' ? 1 : 0
    this.#except = except.map((entry) => (entry.startsWith('/') ? entry : `route:${entry}`))
  }

  /** Takes a response that has left, or never could. */
  write(exchange: Exchange, { bytes, aborted }: SentResponse): void {
    const { request, failure } = exchange
    const status = exchange.reply?.status ?? 500
    const route = exchange.route?.name ?? null
    if (!this.#wants(status, aborted, request.path, route)) return
    const context = {
      method: request.method,
      path: this.#redactor.text(request.path),
      route,
      status,
      duration_ms: Math.round((performance.now() - exchange.startedMs) * 100) / 100,
      bytes,
      client: request.clientAddress === '' ? null : request.clientAddress,
      aborted,
    }
    // Errors from 500 on are logged on their own line.
    const isExplained = failure === undefined || status >= 500
    this.#print(isExplained ? context : { ...context, error: this.#described(failure) }, exchange.id)
  }

  /** Takes what was refused before it became a request. */
  refused({ method, path, status, client }: Refusal): void {
    if (!this.#wants(status, false, path ?? '', null)) return
    const shownPath = path === null ? null : this.#redactor.text(path)
    this.#print({ method, path: shownPath, route: null, status, client, aborted: false }, createRequestId())
  }

  #wants(status: number, aborted: boolean, path: string, route: string | null): boolean {
    if (this.#sink.wants?.('info', channel) === false) return false
    if (status >= 500) return true
    if (this.#except.length > 0 && isNamed(this.#except, { path, route: route ?? undefined })) return false
    return status >= 400 || aborted || this.#share === 1 || Math.random() < this.#share
  }

  #described(failure: Failure): string {
    const { errorClass, message } = unreadMiss(failure) ?? describeFailure(failure.thrown)
    return this.#redactor.text(`${errorClass}: ${message}`)
  }

  #print(context: Readonly<Record<string, unknown>>, requestId: string): void {
    this.#sink.write({
      level: 'info',
      channel,
      message: '{method} {path} {status}',
      context,
      time: Date.now(),
      requestId,
      mayWait: true,
    })
  }
}

/** Throws a TypeError for a path that names nothing, and for the name of a route that the table does not have. */
export function checkAccessLogExcept(except: readonly string[], table: AnyRoutes): void {
  for (const entry of except) {
    if (entry.startsWith('/') ? isTarget(entry) : table.route(entry) !== undefined) continue
    const named = `"accessLogExcept" of createApp() has ${JSON.stringify(entry)}`
    if (entry.startsWith('/')) throw new TypeError(`${named}; write a path as "/health" or "/health/*"`)
    const advice = didYouMean(
      entry,
      [...table].map(({ name }) => name),
    )
    throw new TypeError(
      `"accessLogExcept" of createApp() names the route ${JSON.stringify(entry)}, which does not exist.${advice} A path begins with "/"`,
    )
  }
}
