// Records requests: begins a recording with each request, names its token in the response, and queues its profile when the response
// has left.

import { performance, withBuiltins, clearTimeout, setTimeout, OwnSet } from '../base/timing/builtins.ts'
import type { Reply } from '../base/http/reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import { OpenExchanges, partWith, type OpenExchangeList } from '../http/kernel/open-exchanges.ts'
import { Logger } from '../base/log/logger.ts'
import type { Note } from '../http/recording/recording.ts'
import { type Sampler, isWithin } from './sampling/sampler.ts'
import { recordOf, type ProfilePlan } from './make-record.ts'
import { checkCollectorNames } from '../observe/collector.ts'
import { lateToken, maxLateErrors, tokenPattern, type Profile } from '../observe/profile.ts'
import type { ProfileReader, ProfileStore, ProfileStoreStats } from './profile-store.ts'
import type { ProfileWriter } from './profile-writer.ts'
import type { Recorder } from './recorder.ts'
import { replayName, type Replays } from './replays.ts'
import { waitAtMost } from '../http/kernel/within-budget.ts'
import type { RequestFindings } from './request-findings.ts'

export interface ProfilerParts {
  readonly plan: ProfilePlan
  readonly recorder: Recorder
  readonly writer: ProfileWriter
  readonly store: ProfileStore
  /** Decides what is recorded and kept. Default: everything is. */
  readonly sampler?: Sampler
  /** Which requests are replays: those are recorded and kept whatever the sampler says. Default: none is. */
  readonly replays?: Replays
  /** Compares requests with each other. Default: nobody does. */
  readonly findings?: RequestFindings
  /** Where profiles are shown, `/_profiler`: requests to it and below are not recorded (SPEC 5.5). */
  readonly profilerPath: string
  /** How long a reader waits for a request that has not ended yet, in milliseconds. Default 1000. */
  readonly openBudgetMs?: number
  /** Called with each request that has ended. Its profile is made when `end` has resolved. Default: at once. */
  readonly measuring?: { end(exchange: Exchange): Promise<void> | undefined }
}

/** Longest wait for the queue before a list is read, in milliseconds: a busy store must not hold a page. */
const flushBudgetMs = 250

/** Routes that are remembered, each with a method. */
const maxMatched = 10_000

/** What the profile of a running request says of itself. */
const unfinished: Note = {
  source: 'recording',
  message: 'This request has not ended yet: here is what was recorded so far.',
}

/** The second listener of an application in debug, and the reader of what it recorded. */
export class Profiler implements Listener, ProfileReader {
  readonly name = 'profiler'
  readonly isInstrumentation = true
  readonly #options: ProfilerParts
  readonly #open = new OpenExchanges()
  /** Routes that requests of this process matched, recorded or not, by method and name: `GET orders`. */
  readonly matchedRoutes: Set<string> = new OwnSet()
  /** How many errors each request had after its response. */
  readonly #lateErrors = new WeakMap<Exchange, number>()
  /** Requests that have ended and whose profiles are not made yet. */
  readonly #heldBack = new Set<Promise<void>>()

  /** Throws a TypeError that names a collector whose name cannot be used, or is there twice. */
  constructor(options: ProfilerParts) {
    checkCollectorNames([...options.plan.names, ...options.plan.collectors.map(({ name }) => name)])
    this.#options = options
  }

  /** Begins a recording, unless the request is for the profiler itself or is not to be recorded. */
  onRequest(exchange: Exchange): void {
    if (isWithin(exchange.request.path, this.#options.profilerPath)) return
    const { sampler, replays } = this.#options
    const replay = replays?.take(exchange.request)
    if (replay === undefined && sampler?.mayBegin(exchange.request) === false) {
      // Lines that do not fit in the record do not get a separate log line either.
      if (sampler.isOverPace) exchange.log = exchange.log.withoutInfoOf('router')
      return
    }
    const recording = this.#options.recorder.begin()
    if (replay !== undefined) recording.keep(replayName, replay)
    exchange.recording = recording
    exchange.log = new Logger(recording.logger).of(exchange)
    this.#options.findings?.begin(exchange.request, recording)
    this.#open.add(exchange)
    sampler?.cost.add(recording.stopwatch.startedMs)
  }

  /** Names the token. The link is a relative reference: no part of it comes from the request (SECURITY R15). */
  onResponse(exchange: Exchange, reply: Reply): void {
    const token = exchange.recording?.token
    if (token === undefined) return
    reply.setHeader('x-debug-token', token)
    reply.setHeader('x-debug-token-link', `${this.#options.profilerPath}/${token}`)
  }

  /** Collects and queues the profiles of the request and its sub-requests. */
  onTerminate(exchange: Exchange): void {
    const { recording, request, route } = exchange
    if (route !== undefined && this.matchedRoutes.size < maxMatched)
      this.matchedRoutes.add(`${request.method} ${route.name}`)
    if (recording === undefined) return
    recording.finish()
    this.#options.findings?.end(exchange, recording)
    const heldBack = this.#options.measuring?.end(exchange)
    if (heldBack === undefined) this.#ended.add(exchange)
    else this.#completeAfter(heldBack, exchange)
  }

  /** Ends a recording without a profile. */
  drop(exchange: Exchange): void {
    const { recording } = exchange
    if (recording === undefined) return
    recording.finish()
    void this.#options.measuring?.end(exchange)
    this.#open.remove([exchange])
    recording.forget()
  }

  #completeAfter(heldBack: Promise<void>, exchange: Exchange): void {
    const completed = heldBack.then(() => {
      this.#heldBack.delete(completed)
      // Behind those that ended before it.
      this.#ended.add(exchange)
      this.#ended.completeAll()
    })
    this.#heldBack.add(completed)
  }

  readonly #complete = (exchanges: readonly Exchange[]): void => {
    const { sampler } = this.#options
    const startedMs = performance.now()
    try {
      for (const exchange of exchanges) this.#enqueue(exchange)
    } finally {
      this.#open.remove(exchanges)
    }
    sampler?.cost.add(startedMs)
  }

  readonly #ended = new EndedRequests(this.#complete)

  /** Waits for a request that has not ended; of one that does not end in time, gives what was recorded so far. Also finds queued profiles. */
  async read(token: string): Promise<Profile | undefined> {
    if (!tokenPattern.test(token)) return undefined
    this.#ended.completeAll()
    const open = this.#open.find(token)
    if (open === undefined) return this.#readEnded(token)
    await waitAtMost(this.#open.ended(open), this.#options.openBudgetMs ?? 1000)
    const exchange = this.#open.find(token) === open ? partWith(open, token) : undefined
    if (exchange?.recording === undefined) return this.#readEnded(token)
    const { plan } = this.#options
    const record = recordOf(exchange, exchange.recording, plan)
    // Findings are known when the request has ended.
    return { ...plan.assemble({ ...record, notes: [unfinished, ...record.notes] }), findings: [] }
  }

  /** Whether the profile of a recorded request is made, so that nothing can be added to it. */
  isKept({ recording }: Exchange): boolean {
    return recording !== undefined && this.#open.find(recording.token) === undefined
  }

  /**
   * Keeps an error that was thrown after the response, as a finished sub-request of its request: in lists it is a separate profile,
   * because that of the request is written.
   */
  keepLate(part: Exchange): void {
    const { parent, recording } = part
    const token = parent?.recording?.token
    const count = (this.#lateErrors.get(parent ?? part) ?? 0) + 1
    if (token === undefined || recording === undefined || count > maxLateErrors) return
    this.#lateErrors.set(parent ?? part, count)
    const record = recordOf(part, recording, this.#options.plan)
    this.#options.writer.enqueue({ ...record, token: lateToken(token, count), parentToken: null })
    recording.forget()
  }

  /** A profile that is made, with what its page reported, and a note for each error after its response. */
  async #readEnded(token: string): Promise<Profile | undefined> {
    const { writer, profilerPath } = this.#options
    const written = await writer.read(token)
    if (written === undefined) return undefined
    const ended = { find: this.find, read: writer.read.bind(writer) }
    const { withLaterData } = await import('./later-data.ts')
    const profile = await withLaterData(ended, written)
    const late: Note[] = []
    for (let count = 1; count <= maxLateErrors; count += 1) {
      const error = await writer.read(lateToken(token, count))
      if (error === undefined) break
      const what = error.errorFamily ?? error.errorClass ?? 'an error'
      late.push({ source: 'recording', message: `After the response: ${what}. See ${profilerPath}/${error.token}` })
    }
    if (late.length === 0) return profile
    const { notes } = profile.data
    return { ...profile, data: { ...profile.data, notes: [...late, ...(Array.isArray(notes) ? notes : [])] } }
  }

  // What is still queued is included if the store is quick enough.
  readonly find: ProfileReader['find'] = async (...asked) => (await this.#flushed()).find(...asked)
  readonly group: ProfileReader['group'] = async (...asked) => (await this.#flushed()).group(...asked)
  readonly gather: ProfileReader['gather'] = async (...asked) => (await this.#flushed()).gather(...asked)

  async #flushed(): Promise<ProfileStore> {
    await waitAtMost(this.#flush(), flushBudgetMs)
    return this.#options.store
  }

  async stats(): Promise<ProfileStoreStats> {
    this.#ended.completeAll()
    return this.#options.store.stats()
  }

  /** The requests that are being recorded and have not ended, those of this process. */
  get open(): OpenExchangeList {
    this.#ended.completeAll()
    return this.#open
  }

  /** Writes what is queued, within the deadline in milliseconds, and continues. */
  async flush(deadlineMs: number): Promise<void> {
    await waitAtMost(this.#flush(), deadlineMs)
  }

  /**
   * For the end of the process, when no promise goes on: requests that have not ended are aborted, and the process is held until their
   * profiles are written, for so many milliseconds at most.
   */
  endNow(budgetMs: number): void {
    this.#ended.completeAll()
    const open = [...this.#open]
    for (const exchange of open) {
      exchange.sent ??= { bytes: 0, aborted: true }
      exchange.recording?.finish()
      void this.#options.measuring?.end(exchange)
    }
    withBuiltins(() => this.#complete(open))
    this.#options.writer.handOver()
    this.#options.store.settle?.(budgetMs)
  }

  /** Writes what is queued, within the deadline in milliseconds, and takes no more. */
  async close(deadlineMs: number): Promise<void> {
    this.#ended.completeAll()
    await waitAtMost(Promise.all(this.#heldBack), deadlineMs)
    await this.#options.writer.close(deadlineMs)
  }

  async #flush(): Promise<void> {
    this.#ended.completeAll()
    if (this.#heldBack.size > 0) await Promise.all(this.#heldBack)
    await this.#options.writer.flush()
  }

  #enqueue(exchange: Exchange): void {
    for (const child of exchange.children) this.#enqueue(child)
    const { recording } = exchange
    if (recording === undefined) return
    this.#options.writer.enqueue(recordOf(exchange, recording, this.#options.plan))
    recording.forget()
  }
}

/** Does what is left to do for them, in the order they ended. Never throws. */
type Completion = (exchanges: readonly Exchange[]) => void

type Timers = Pick<typeof globalThis, 'clearTimeout' | 'setTimeout'>

/** Requests that wait at most: each may hold a body. More would live until the second collection of young objects, and be copied. */
const maxWaiting = 64
/** How long the first one waits for company, in milliseconds: usually, and after a row of many. */
const delayMs = 30
const longDelayMs = 120
/** A row of so many is one of many: nobody clicks that fast. */
const many = 8

/** Gathers them and completes them in the order they ended. */
export class EndedRequests {
  readonly #complete: Completion
  readonly #timers: Timers
  #waiting: Exchange[] = []
  #timer: NodeJS.Timeout | undefined
  #delayMs = delayMs

  constructor(complete: Completion, timers: Timers = { clearTimeout, setTimeout }) {
    this.#complete = complete
    this.#timers = timers
  }

  add(exchange: Exchange): void {
    this.#waiting.push(exchange)
    if (this.#waiting.length >= maxWaiting) this.completeAll()
    else this.#timer ??= this.#timers.setTimeout(this.completeAll, this.#delayMs)
  }

  /** Completes all that wait, because somebody wants to read them. */
  readonly completeAll = (): void => {
    this.#timers.clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#delayMs = waiting.length < many ? delayMs : longDelayMs
    withBuiltins(() => this.#complete(waiting))
  }
}
