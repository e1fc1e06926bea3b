// Turns requests away while the event loop is late: those that are served then end in time.

import { quietPagePolicy, renderQuietPage } from '../../errors/page/quiet-page.ts'
import { preferredFormat } from '../../framework/http/accept.ts'
import { protectiveHeaders } from '../../framework/http/protective-headers.ts'
import { Reply } from '../../framework/http/reply.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import { html } from '../../framework/html/html.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Listener } from '../../framework/kernel/listener.ts'
import type { SheddingFacts, SheddingView } from '../../profiler/shedding-view.ts'
import { performance } from 'node:perf_hooks'

export interface LateListenerOptions {
  /** From this lateness of the loop on, in milliseconds. */
  readonly limitMs: number
  /** Whether a request is served anyway. */
  readonly isExcepted: (request: HttpRequest) => boolean
}

const sentence = 'This service is busy. Please try again in a moment.'
const page = String(
  renderQuietPage(
    'Busy',
    html`<h1>Busy</h1>
      <p>${sentence}</p>`,
  ),
)
const problem = JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail: sentence })

export class LateListener implements Listener, SheddingView {
  readonly name = 'load shedding'
  readonly #options: LateListenerOptions
  readonly #lateness = new LoopLateness()
  #turnedAway = 0

  constructor(options: LateListenerOptions) {
    this.#options = options
  }

  start(): void {
    this.#lateness.start()
  }

  stop(): void {
    this.#lateness.stop()
  }

  get isLate(): boolean {
    return this.#lateness.lateMs > this.#options.limitMs
  }

  turnsAway(request: HttpRequest): boolean {
    return this.isLate && !this.#options.isExcepted(request)
  }

  onRequest({ request }: Exchange): Reply | undefined {
    if (!this.turnsAway(request)) return undefined
    this.#turnedAway += 1
    const again = ['retry-after', String(Math.ceil(this.#lateness.lateMs / 1000)), ...protectiveHeaders]
    const format = preferredFormat(request.header('accept'))
    if (format === 'json') return new Reply(503, ['content-type', 'application/problem+json', ...again], problem)
    if (format !== 'html')
      return new Reply(503, ['content-type', 'text/plain; charset=utf-8', ...again], `${sentence}\n`)
    const headers = ['content-type', 'text/html; charset=utf-8', 'content-security-policy', quietPagePolicy, ...again]
    return new Reply(503, headers, page)
  }

  get sheddingFacts(): SheddingFacts {
    return { limitMs: this.#options.limitMs, lateMs: this.#lateness.lateMs, turnedAway: this.#turnedAway }
  }
}

/** How often is looked, in milliseconds. */
const everyMs = 100
/** Over how long lateness is averaged, in milliseconds. */
const windowMs = 500

export class LoopLateness {
  #timer: NodeJS.Timeout | undefined
  #lastMs = 0
  #lateMs = 0

  /** Begins to look. The timer keeps no process alive. */
  start(): void {
    this.#lastMs = performance.now()
    this.#timer ??= setInterval(() => {
      const now = performance.now()
      this.note(now - this.#lastMs)
      this.#lastMs = now
    }, everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Takes the milliseconds between two looks. Called by the timer. */
  note(elapsedMs: number): void {
    const weight = Math.min(1, elapsedMs / windowMs)
    this.#lateMs += (Math.max(0, elapsedMs - everyMs) - this.#lateMs) * weight
  }

  /** Milliseconds. */
  get lateMs(): number {
    return this.#lateMs
  }
}
