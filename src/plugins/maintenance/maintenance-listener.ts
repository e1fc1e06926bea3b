// Answers every request with one static page while the lock is closed, before anything else runs. The page is kept in
// memory; its file is read at boot and again after it changed.

import { unwatchFile, watchFile, type StatsListener } from 'node:fs'
import { preferredFormat, type AnswerFormat } from '../../framework/http/accept.ts'
import { protectiveHeaders } from '../../framework/http/protective-headers.ts'
import { Reply } from '../../framework/http/reply.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Listener } from '../../framework/kernel/listener.ts'
import { maintenancePageFailed } from '../../framework/log/lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import type { Lock } from './lock.ts'
import { defaultRetryAfterSeconds } from './lock-store.ts'
import { readPageFile } from './page-file.ts'

export interface MaintenanceListenerOptions {
  readonly lock: Lock
  /** Markup of the page that stands in when there is no file, or the file cannot be used. */
  readonly builtInPage: string | { toString(): string }
  /** Content-Security-Policy that the built-in page is sent with; a page of one's own gets none. Default: none. */
  readonly builtInPolicy?: string
  /** File of the application's own page. Default: none, the built-in page is served. */
  readonly pagePath?: string
  /** Seconds for `Retry-After` while the lock store names none. Default 120. */
  readonly retryAfterSeconds?: number
  readonly log: Log
  /** How often the file is looked at, in milliseconds. Default 1000. */
  readonly checkIntervalMs?: number
}

/** For clients that ask for something else than a page. */
const otherBodies: ReadonlyMap<AnswerFormat, { readonly type: string; readonly content: string }> = new Map([
  [
    'json',
    {
      type: 'application/problem+json',
      content: JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503 }),
    },
  ],
  ['text', { type: 'text/plain; charset=utf-8', content: 'This service is being maintained. Try again later.\n' }],
])

/** The first listener of an application (SPEC 6.1). */
export class MaintenanceListener implements Listener {
  readonly name = 'maintenance'
  readonly #options: MaintenanceListenerOptions
  readonly #builtInBody: Buffer
  readonly #onFileChange: StatsListener
  #body: Buffer
  #isWatching = false
  #loading: Promise<void> | undefined
  #isStale = false
  #lastProblem: string | undefined

  constructor(options: MaintenanceListenerOptions) {
    this.#options = options
    this.#builtInBody = Buffer.from(String(options.builtInPage))
    this.#body = this.#builtInBody
    const { pagePath = '' } = options
    this.#onFileChange = () => void this.#load(pagePath)
  }

  /** Reads the page file and looks after it from then on. Never rejects: the built-in page is always there. */
  async start(): Promise<void> {
    const { pagePath, checkIntervalMs } = this.#options
    if (pagePath === undefined) return
    if (!this.#isWatching) {
      this.#isWatching = true
      watchFile(pagePath, { interval: checkIntervalMs ?? 1000, persistent: false }, this.#onFileChange)
    }
    await this.#load(pagePath)
  }

  /**
   * While the lock is closed: the page, or problem details or text for clients that ask for them; else nothing. The bytes are the same
   * for every path and method (SPEC 6.3).
   */
  onRequest({ request }: Exchange): Reply | undefined {
    const { lock } = this.#options
    if (!lock.isClosed) return undefined
    const { retryAfterSeconds = defaultRetryAfterSeconds, builtInPolicy } = this.#options
    const retryAfter = String(lock.retryAfterSeconds ?? retryAfterSeconds)
    const other = otherBodies.get(preferredFormat(request.header('accept')))
    const type = other?.type ?? 'text/html; charset=utf-8'
    const headers = ['content-type', type, 'retry-after', retryAfter, 'vary', 'Accept', ...protectiveHeaders]
    const reply = new Reply(503, headers, other?.content ?? this.#body)
    if (builtInPolicy !== undefined && other === undefined && this.#body === this.#builtInBody) {
      reply.appendHeader('content-security-policy', builtInPolicy)
    }
    return reply
  }

  /** Stops looking at the file; the page in memory stays. */
  close(): void {
    if (this.#isWatching && this.#options.pagePath !== undefined)
      unwatchFile(this.#options.pagePath, this.#onFileChange)
    this.#isWatching = false
  }

  /** One read at a time; a change during a read leads to one more. */
  #load(path: string): Promise<void> {
    this.#isStale = true
    this.#loading ??= this.#loadWhileStale(path).finally(() => (this.#loading = undefined))
    return this.#loading
  }

  async #loadWhileStale(path: string): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      try {
        this.#body = Buffer.from(await readPageFile(path))
        this.#lastProblem = undefined
      } catch (error) {
        this.#body = this.#builtInBody
        this.#report(path, error instanceof Error ? error.message : String(error))
      }
    }
  }

  #report(path: string, problem: string): void {
    if (problem === this.#lastProblem) return
    this.#lastProblem = problem
    this.#options.log.write(maintenancePageFailed({ path, problem }))
  }
}
