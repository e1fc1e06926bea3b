// A whole application: what a host calls for each request, and how it starts and ends. What it is made of is put together
// in create-app.ts.

import type { ErrorHandler } from '../errors/error-handler.ts'
import type { ForeignResponse, Refusal, RequestHandler, Sent } from '../http/node/request-handler.ts'
import type { InjectedResponse, InjectRequest } from '../http/node/inject.ts'
import type { AppListener } from '../http/node/app-request.ts'
import type { TlsOptions, GuardedServer, ListenAddress, NodeServer } from '../http/node/server.ts'
import { type RuntimeContext, RuntimeContextError } from '../http/config/runtime-context.ts'
import type { CookieSigner } from '../base/http/cookie-signer.ts'
import { withBuiltins } from '../base/timing/builtins.ts'
import { Reply } from '../base/http/reply.ts'
import type { HttpRequest } from '../base/http/request.ts'
import type { Awaitable } from '../base/members.ts'
import { currentExchange, runInExchange } from '../http/kernel/current-exchange.ts'
import { Exchange, type ClientConnection } from '../http/kernel/exchange.ts'
import type { Kernel } from '../http/kernel/kernel.ts'
import { connectionsCut, crashed, listening, respondedElsewhere, streamFailed } from '../base/log/lines.ts'
import type { TracedFacts } from '../base/log/lines.ts'
import { Logger, type Log, type LogEntry } from '../base/log/logger.ts'
import { checkOptions, isRecord, type OptionRules } from '../base/options/check-options.ts'
import type { MaintenancePlugin } from './plugins/maintenance.ts'
import type { ProfilerPlugin } from './plugins/profiler.ts'
import { isMaintenance } from '../stores/lock/closure.ts'
import type { ProfileReader } from '../profiles/profile-store.ts'
import type { AccessLog } from './access-log.ts'
import { readWanted } from './process-context.ts'
import { findCommand, type CommandRun, type KnownCommands } from '../http/kernel/commands.ts'
import type { Services } from './options.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface AppParts {
  readonly context: RuntimeContext
  readonly kernel: Kernel
  /** Those of the application and its plugins, without the profiler's. */
  readonly routes: AnyRoutes
  readonly log: Log
  /** Records requests and commands; `null` outside debug. */
  readonly recorder: ProfilerPlugin | null
  readonly maintenance: MaintenancePlugin | null
  readonly commands: KnownCommands
  readonly profileCommand: Services['profileCommand']
  /** `null` if the application has no secret. */
  readonly cookieSigner: CookieSigner | null
  readonly storeName: string
  /** `null` in debug, and where it is off. */
  readonly accessLog: AccessLog | null
  /** Logs what no response can show, with its trace, and keeps it on the recording of its request. */
  readonly noteError: ErrorHandler['note']
  /** Makes the server; called once, by `listen()`. */
  readonly createServer: (front: RequestHandler) => NodeServer
  readonly lingerMs: number
  /** Aborted when the application begins to close, for plugins and readiness checks. */
  readonly closing: AbortController
  /** After the last request: ends everything that `createApp` started. */
  readonly end: () => Promise<void>
}

/** An application. Make one with `createApp()`. */
export class App implements RequestHandler {
  /** The settings that it was started with. */
  readonly context: RuntimeContext
  /** The routes of the application and its plugins, without the profiler's. */
  readonly routes: AnyRoutes
  /** Runs any work as a command that is recorded in debug, as plugins can. */
  readonly profileCommand: Services['profileCommand']
  /** Reads profiles; `null` outside debug. */
  readonly profiles: ProfileReader | null
  /** Where profiles are shown, `/_profiler`; `null` outside debug. */
  readonly profilerPath: string | null
  /** Path of the profiler's first page, with the key if one is needed: `/_profiler/?key=…`; `null` outside debug. */
  readonly profilerEntry: string | null
  /** For people: `sqlite:var/fanlight.db`. */
  readonly storeName: string
  /** Whether a listener has `onTerminate`, or there are access lines. For hosts. */
  readonly hearsEnds: boolean
  /** In debug. For hosts. */
  readonly watchesSends: boolean
  readonly #parts: AppParts
  readonly #logger: Logger
  #server: NodeServer | undefined
  #closing: Promise<void> | undefined
  /** Aborted when no more requests are served: ends those that would not end by themselves. */
  readonly #ending = new AbortController()
  /** Crashes that are being logged. */
  readonly #reports = new Set<Promise<void>>()

  constructor(parts: AppParts) {
    this.#parts = parts
    this.context = parts.context
    this.routes = parts.routes
    this.profileCommand = parts.profileCommand
    this.profiles = parts.recorder?.profiles ?? null
    this.profilerPath = parts.recorder?.path ?? null
    this.profilerEntry = parts.recorder?.entry ?? null
    this.storeName = parts.storeName
    this.hearsEnds = parts.kernel.hasTerminate || parts.accessLog !== null
    this.watchesSends = parts.recorder !== null
    this.#logger = new Logger(parts.log)
  }

  /** Names of the application's commands. */
  get commandNames(): readonly string[] {
    return Object.keys(this.#parts.commands)
  }

  /**
   * Runs one of the application's commands, recorded in debug. What the command throws is its `failure`, with the exit code 1. Rejects
   * with an `UnknownCommandError` for an unknown name.
   */
  async runCommand(name: string, args: readonly string[] = []): Promise<CommandRun> {
    const handler = findCommand(this.#parts.commands, name)
    let token: string | null = null
    const work = (log: Logger): ReturnType<typeof handler> => handler({ args, log })
    try {
      const exitCode = await this.profileCommand({ name, args }, work, (begun) => (token = begun))
      return { exitCode: exitCode ?? 0, token, failure: null }
    } catch (thrown) {
      return { exitCode: 1, token, failure: { thrown } }
    }
  }

  /** Whether bit 1 of the lock is set now. */
  get isClosedForMaintenance(): boolean {
    return this.#parts.maintenance?.lock.isClosed ?? false
  }

  /** Counts, each time it is called, those of the requests that run now which have not ended by then. For plugins. */
  watchRunning(): () => number {
    return this.#server?.watchRunning() ?? (() => 0)
  }

  /** Handles one request. Never throws and never rejects. For hosts; call `terminate` when the response has left. */
  handle(request: HttpRequest, client?: ClientConnection): Awaitable<Exchange> {
    const { kernel, cookieSigner, accessLog } = this.#parts
    const startedMs = accessLog === null ? 0 : performance.now()
    const [log, closing] = [this.#logger, this.#ending.signal]
    const exchange = new Exchange({ request, log, client, closing, cookieSigner, startedMs })
    if (this.profiles === null) return kernel.handle(exchange)
    // Catching a stack costs as much as reading a short body: only a recorded request does it.
    request.body.watch(() => {
      return exchange.recording !== undefined ? 'recorded' : exchange.route?.captureBody ? 'kept' : undefined
    })
    return runInExchange(exchange, () => kernel.handle(exchange))
  }

  /** Says in the log of the request that other code responded to it. For hosts. */
  respondedElsewhere(exchange: Exchange, sent: ForeignResponse): void {
    const { request, route, reply } = exchange
    exchange.log.write(
      respondedElsewhere({
        method: request.method,
        url: request.fullUrl,
        route: route?.name ?? null,
        status: reply?.status ?? 500,
        ...sent,
      }),
    )
    // What the client got; its headers and body are not known here.
    exchange.reply = new Reply(sent.sentStatus, [], null)
  }

  /** Ends a request whose response has left, or never could. For hosts. */
  terminate(exchange: Exchange, sent: Sent): void {
    exchange.sent = sent
    const { kernel, accessLog } = this.#parts
    accessLog?.write(exchange, sent)
    if (sent.error === undefined) {
      // Of a request that is not recorded, only the name of its route is noted, in a set of ours.
      if (exchange.recording === undefined) kernel.terminate(exchange)
      else withBuiltins(() => kernel.terminate(exchange))
      return
    }
    exchange.recording?.finish()
    void this.#noteStreamFailure(exchange, sent).finally(() => kernel.terminate(exchange))
  }

  /** Takes what became no request. For hosts. */
  refused(refusal: Refusal): void {
    this.#parts.accessLog?.refused(refusal)
  }

  #noteStreamFailure(exchange: Exchange, { bytes, error }: Sent): Promise<void> {
    const { method, fullUrl: url } = exchange.request
    return this.#note(error, (facts) => streamFailed({ method, url, bytes, ...facts }), exchange)
  }

  /** Sends a request without a socket; target and headers are read as from one. A string is the URL of a GET. For tests. */
  async inject(request: string | InjectRequest): Promise<InjectedResponse> {
    const { inject } = await import('../http/node/inject.ts')
    return inject(this, request)
  }

  /** For your own server: `http.createServer(app.handler)`, `http2.createSecureServer({ key, cert, allowHTTP1: true }, app.handler)`. */
  get handler(): AppListener {
    this.#server ??= this.#parts.createServer(this)
    return this.#server.handler
  }

  /**
   * Closes a server whose requests another framework handles, as `maintenance()` says: requests and WebSocket handshakes that it turns away
   * get the 503, everything else goes to the listeners that the server has by now. Throws a TypeError if the application does not name `maintenance()`, or
   * if a server of HTTP/2 listens to streams in place of requests.
   */
  guardServer(server: GuardedServer): void {
    const { maintenance } = this.#parts
    if (maintenance === null)
      throw new TypeError('app.guardServer() needs maintenance() among the plugins of the application')
    this.#server ??= this.#parts.createServer(this)
    this.#server.guard(server, maintenance.guard())
  }

  /**
   * Listens on the address of the runtime context. With `tls` (`{ key, cert }` and whatever else `node:tls` takes), or with the files of
   * `APP_TLS_KEY` and `APP_TLS_CERT`, over HTTPS with HTTP/2 and HTTP/1.1. Rejects with the error of the socket (`EADDRINUSE`, `EACCES`),
   * of a file or of TLS. It does not listen in a module that a command of `fanlight` imports other than to serve.
   */
  async listen(options: { readonly tls?: TlsOptions | undefined } = {}): Promise<ListenAddress> {
    checkOptions('app.listen()', options, listenRules)
    const wanted = readWanted()
    if (wanted?.command !== undefined) return new Promise(() => wanted.take(() => this))
    const { tls = tlsOf(this.context) } = options
    this.#server ??= this.#parts.createServer(this)
    const address = await this.#server.listen({ host: this.context.host, port: this.context.port, tls })
    this.#parts.log.write(listening({ url: address.url, environment: this.context.env, store: this.storeName }))
    return address
  }

  /**
   * Stops accepting, lets requests in flight end within the deadline, writes what is queued. `lingers`: goes on to serve for `lingerMs` before, as
   * `run()` does on SIGTERM; default: no. A second call waits for the first.
   */
  async close({ lingers = false }: { readonly lingers?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#end(lingers)
    await this.#closing
  }

  /**
   * Logs what ends the process, or would, with the request in whose code it was thrown, where that is known (in debug). `isShown`: a report on the
   * terminal follows, so the line is without a trace. Never rejects. For the process that runs the application.
   */
  async reportCrash(what: string, thrown: unknown, isShown = false): Promise<void> {
    const exchange = currentExchange()
    const request = exchange === undefined ? null : `${exchange.request.method} ${exchange.request.path}`
    const isClosed = isMaintenance(this.context.lock)
    const report = this.#note(
      thrown,
      (facts) => crashed({ what, request, isClosed, ...facts, ...(isShown ? { trace: [] } : {}) }),
      exchange,
    )
    this.#reports.add(report)
    await report
    this.#reports.delete(report)
  }

  /** A trace that cannot be read must not cost the line. */
  async #note(thrown: unknown, entry: (facts: TracedFacts) => LogEntry, exchange: Exchange | undefined): Promise<void> {
    try {
      await this.#parts.noteError(thrown, entry, exchange)
    } catch {
      this.#parts.log.write(entry({ ...describeFailure(thrown), trace: [] }))
    }
  }

  async #end(lingers: boolean): Promise<void> {
    const { closing, lingerMs } = this.#parts
    const reason = new DOMException('The application is closing', 'AbortError')
    closing.abort(reason)
    if (lingers && lingerMs > 0) await this.#server?.linger(lingerMs)
    this.#ending.abort(reason)
    const report = await this.#server?.close()
    if (report !== undefined && report.forced > 0) this.#parts.log.write(connectionsCut(report))
    // Store and log take them.
    await Promise.all(this.#reports)
    await this.#parts.end()
  }
}

const listenRules: OptionRules<{ readonly tls?: TlsOptions | undefined }> = {
  tls: { allowed: 'an object with key and cert', fits: isRecord, isSecret: true },
}

/** `undefined` for plain HTTP. Throws a RuntimeContextError for a file that cannot be read. */
export function tlsOf({ tls, projectRoot }: RuntimeContext): TlsOptions | undefined {
  if (tls === null) return undefined
  const read = (name: string, file: string): Buffer => {
    try {
      return readFileSync(resolve(projectRoot, file))
    } catch (cause) {
      throw new RuntimeContextError(`${name}=${JSON.stringify(file)} cannot be read`, { cause })
    }
  }
  return { key: read('APP_TLS_KEY', tls.key), cert: read('APP_TLS_CERT', tls.cert) }
}
