// In front of every server of node:http in this process: starts the profiler with the first request of a server, keeps requests
// for the profiler from the application, and records the others.

import { define } from '../http/kernel/follow-call.ts'
import { createHash } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { nextTick, withBuiltins } from '../base/timing/builtins.ts'
import { FirstBytes } from '../base/http/first-bytes.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { isPromise, type Awaitable } from '../base/members.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { runInExchange, runOutsideExchanges } from '../http/kernel/current-exchange.ts'
import { isOwn } from '../http/node/own-mark.ts'
import { recorderQuestions, type RecorderQuestion } from '../http/recording/recorder-questions.ts'
import type { RecordedRequest } from './observed-request.ts'
import type { Observing } from '../app/profiler-options.ts'

/** Node publishes here before it hands a request to its server. */
const requestChannel = 'http.server.request.start'
/** Of requests that take their connection over Node publishes nothing: their server is met when it begins to listen. */
const listenChannel = 'tracing:net.server.listen:asyncStart'
const listeningChannel = 'tracing:net.server.listen:asyncEnd'
/** Events that hand a request over, and the end. */
const looksAt: object = { __proto__: null, request: 1, checkContinue: 1, checkExpectation: 1, upgrade: 1, close: 1 }
/** How long the end of a server waits for profiles that are not written, in milliseconds. */
const flushBudgetMs = 3000

export interface FrontProfiler extends Pick<Observing, 'noteUncaught' | 'endNow' | 'flush'> {
  /** `null` if the host or the target cannot be read. */
  read(request: IncomingMessage): HttpRequest | null
  isOwn(read: HttpRequest): boolean
  /** Serves a page of the profiler. */
  show(request: IncomingMessage, response: ServerResponse): void
  /** Begins to record. `undefined` for a request that is not to be recorded. */
  begin(
    read: HttpRequest,
    request: IncomingMessage,
    response: ServerResponse,
    tap: BodyTap | undefined,
  ): Awaitable<RecordedRequest | undefined>
  /** The same for a request that takes its connection over. */
  beginUpgrade(read: HttpRequest, request: IncomingMessage): RecordedRequest | undefined
  /** Address of its first page, with the key if one is needed: `/_profiler/?key=…`. */
  readonly entry: string
}

/** Not in a `WeakMap`: what leads back to its key is held there until a full collection. */
const recorded: unique symbol = Symbol('fanlight.recorded')

/** Only a front puts something there. */
function isRecorded(message: unknown): message is { readonly [recorded]: RecordedRequest } {
  return typeof message === 'object' && message !== null && recorded in message
}

/** How long the end of the process waits for them, in milliseconds. */
const endBudgetMs = 5000

interface FrontOptions {
  /** Starts the profiler; called with the first request, job or task. */
  readonly start: () => Promise<FrontProfiler>
  /** Called when a server listens that is no application of this library. `readEntry` starts the profiler. */
  readonly onListening: (server: Server, readEntry: () => Promise<string | undefined>) => void
  readonly countUnreadable: () => void
  /** Runs work that may fail; what it throws is noted, and the result is `undefined`. */
  readonly guard: <Value>(place: string, work: () => Value) => Value | undefined
}

/** One for each process. */
export class Front {
  readonly #options: FrontOptions
  readonly #servers = new WeakSet<Server>()
  #starting: Promise<void> | undefined
  #profiler: FrontProfiler | undefined
  /** The request whose listener runs right now. */
  #entered: RecordedRequest | undefined
  readonly #onServer = (message: unknown): void => {
    // What a subscriber throws ends the process.
    this.#options.guard('A new server', () => {
      const { server } = message as { readonly server: Server }
      // Other servers listen, too.
      if (!this.#servers.has(server) && 'headersTimeout' in server) this.#meet(server)
    })
  }

  constructor(options: FrontOptions) {
    this.#options = options
  }

  /** Begins to watch. Nothing is opened before the first request, job or task. */
  start(): void {
    subscribe(requestChannel, this.#onServer)
    subscribe(recorderQuestions, (question) => {
      const asked = question as RecorderQuestion<unknown>
      if (asked.mayStart) asked.ready ??= this.#ready()
    })
    subscribe(listenChannel, this.#onServer)
    subscribe(listeningChannel, (message) => {
      const { server } = message as { readonly server: Server }
      if (!this.#servers.has(server) || isOwn(server) || server.listeners('request').some(isOwn)) return
      this.#options.onListening(server, async () => {
        await this.#ready()
        return this.#profiler?.entry
      })
    })
    // What a listener throws at once has left the context of its request by now.
    process.on('uncaughtExceptionMonitor', (thrown) => {
      const observed = this.#entered
      this.#entered = undefined
      if (observed !== undefined) this.#profiler?.noteUncaught(observed.exchange, thrown)
    })
  }

  requestOf(raw: unknown): RecordedRequest | undefined {
    return isRecorded(raw) ? raw[recorded] : undefined
  }

  #meet(server: Server): void {
    this.#servers.add(server)
    if (isOwn(server)) return
    // Loaded by now; importing it would load it in every process that is registered.
    const http = process.getBuiltinModule('node:http')
    const { emit } = server
    let servesOwn: boolean | undefined
    define(server, 'emit', (...given: [string, ...unknown[]]): boolean => {
      const forward = (): boolean => Reflect.apply(emit, server, given)
      const [event, request, response] = given
      if (!(event in looksAt)) return forward()
      // An application of this library records its requests itself.
      servesOwn ??= server.listeners('request').some(isOwn)
      if (servesOwn) return forward()
      if (event === 'upgrade' && request instanceof http.IncomingMessage) return this.#upgrade(request, forward)
      if (request instanceof http.IncomingMessage && response instanceof http.ServerResponse) {
        return this.#hand(request, response, forward)
      }
      return event === 'close' && this.#profiler !== undefined
        ? this.#endAfterFlush(this.#profiler, forward)
        : forward()
    })
  }

  /** The socket is not read before the application takes it, so it can wait. */
  #upgrade(request: IncomingMessage, forward: () => boolean): boolean {
    const profiler = this.#profiler
    if (profiler === undefined) {
      void this.#ready().then(() =>
        nextTick(() => (this.#profiler === undefined ? forward() : this.#upgrade(request, forward))),
      )
      return true
    }
    const observed = this.#options.guard('The begin of a request', () => {
      const read = profiler.read(request)
      if (read === null) this.#options.countUnreadable()
      return read === null || profiler.isOwn(read) ? undefined : profiler.beginUpgrade(read, request)
    })
    return this.#enter(observed, request, forward)
  }

  /** Waits until the profiler is ready, the first time. */
  #hand(request: IncomingMessage, response: ServerResponse, forward: () => boolean): boolean {
    if (this.#profiler !== undefined) return this.#serve(this.#profiler, request, response, forward)
    // The body arrives meanwhile.
    const tap = new BodyTap(request)
    const serve = (): void => {
      if (this.#profiler === undefined) forward()
      else this.#serve(this.#profiler, request, response, forward, tap)
    }
    // What the application throws must not become a rejection.
    void this.#ready().then(() => nextTick(serve))
    return true
  }

  #serve(
    profiler: FrontProfiler,
    request: IncomingMessage,
    response: ServerResponse,
    forward: () => boolean,
    tap?: BodyTap,
  ): boolean {
    let isShown = false
    let observed: Awaitable<RecordedRequest | undefined>
    this.#options.guard('The begin of a request', () =>
      withBuiltins(() => {
        const read = profiler.read(request)
        if (read === null) this.#options.countUnreadable()
        else if (profiler.isOwn(read)) {
          isShown = true
          profiler.show(request, response)
        } else observed = profiler.begin(read, request, response, tap)
      }),
    )
    if (isShown) return true
    if (!isPromise(observed)) return this.#enter(observed, request, forward)
    // What runs then is the application's own code: its time counts as that of the request.
    const enter = (begun?: RecordedRequest): void =>
      runInExchange(begun?.exchange, () => nextTick(() => this.#enter(begun, request, forward)))
    void observed.then(enter, (reason: unknown) => {
      this.#options.guard('The begin of a request', () => {
        throw reason
      })
      enter()
    })
    return true
  }

  #enter(observed: RecordedRequest | undefined, request: IncomingMessage, forward: () => boolean): boolean {
    if (observed === undefined) return runInExchange(undefined, forward)
    define(request, recorded, observed)
    this.#entered = observed
    const result = runInExchange(observed.exchange, forward)
    this.#entered = undefined
    return result
  }

  /** Ends when the profiler runs, or cannot. Never rejects. */
  #ready(): Promise<void> {
    this.#starting ??= runOutsideExchanges(async () => {
      try {
        this.#profiler = await this.#options.start()
        process.once('beforeExit', () => void this.#profiler?.flush(flushBudgetMs))
        // The process may end at any moment: by a throw, or by process.exit().
        process.once('exit', () => this.#profiler?.endNow(endBudgetMs))
      } catch (thrown) {
        const { message } = describeFailure(thrown)
        process.stderr.write(`Fanlight records nothing: ${message}\n`)
      }
    })
    return this.#starting
  }

  /** What ends a process comes after the end of its server: everything is written by then. */
  #endAfterFlush(profiler: FrontProfiler, forward: () => boolean): boolean {
    const end = (): void => nextTick(forward)
    void profiler.flush(flushBudgetMs).then(end, end)
    return true
  }
}

/** Keeps the beginning of what arrives of a request's body, while the application reads it. */
export class BodyTap extends FirstBytes {
  /** Equal for equal bodies; `undefined` until all of it is there. */
  digest: string | undefined
  readonly #hash = createHash('sha256')

  constructor(request: IncomingMessage) {
    super()
    const { push } = request
    define(request, 'push', (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk === null && !this.isComplete) {
        this.isComplete = true
        this.digest = this.#hash.digest('base64')
      } else if (chunk instanceof Uint8Array) {
        this.add(chunk)
        this.#hash.update(chunk)
      }
      return push.call(request, chunk, encoding)
    })
  }
}
