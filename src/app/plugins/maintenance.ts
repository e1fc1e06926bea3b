// Maintenance as a plugin: while the application lock is closed, every request gets one static page.

import path from 'node:path'
import type { Plugin, Services } from '../options.ts'
import { builtInMaintenancePage, quietPagePolicy } from '../../errors/page/quiet-page.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import { isPromise, type Awaitable } from '../../base/members.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import type { ServerGuard } from '../../http/node/server.ts'
import { checkOptions, flag, listOf, text, type OptionRules } from '../../base/options/check-options.ts'
import { type LockView, defaultRetryAfterSeconds, type LockStore } from '../../profiles/lock.ts'
import {
  ApplicationRoutes,
  Gate,
  MaintenanceListener,
  Exceptions,
  exceptionsAllowed,
} from '../../maintenance/maintenance-listener.ts'
import { Lock } from '../../maintenance/lock.ts'
import { LockReporter } from '../../maintenance/lock-reporter.ts'
import { readLockFacts } from '../../maintenance/lock-history.ts'
import { isRetryAfter, maxRetryAfterSeconds } from '../../stores/lock/lock-members.ts'

/** What `maintenance()` takes. */
export interface MaintenanceOptions {
  /** Where the lock is kept. Default: the store of `APP_STORE`. */
  readonly store?: LockStore
  /** File of the page, absolute or relative to the project root. Default: the built-in page. */
  readonly page?: string
  /** Seconds for `Retry-After` while the lock store names none. Default: 120. */
  readonly retryAfterSeconds?: number
  /**
   * What stays open: paths (`/health/*` with all below), routes (`route:health`), networks of clients (`10.0.0.0/8`), hosts that requests
   * name (`host:admin.example`), and `links`, which lets in who has a link of `fanlight lock on --allow-link`. Default: nothing.
   */
  readonly except?: readonly string[]
  /** Whether a process is closed, but for `except`, until it has read the lock once: its store may be away when it starts. Default: no. */
  readonly startClosed?: boolean
}

const rules: OptionRules<MaintenanceOptions> = {
  store: { allowed: 'a LockStore', fits: (value) => typeof value === 'object' && value !== null },
  page: text,
  startClosed: flag,
  retryAfterSeconds: { allowed: `a whole number from 0 to ${maxRetryAfterSeconds}`, fits: isRetryAfter },
  except: listOf(exceptionsAllowed, (entry) => typeof entry === 'string'),
}

/** Closes the application for maintenance (SPEC 6). */
export class MaintenancePlugin implements Plugin, ServerGuard {
  readonly name = 'maintenance'
  readonly #options: MaintenanceOptions
  readonly #exceptions: Exceptions
  #lock: Lock | undefined
  #gate: Gate | undefined
  #reporter: LockReporter | undefined
  #view: LockView | undefined
  #listener: MaintenanceListener | undefined
  #routes: ApplicationRoutes | undefined

  constructor(options: MaintenanceOptions) {
    checkOptions<MaintenanceOptions>('maintenance()', options, rules)
    this.#options = { ...options }
    this.#exceptions = new Exceptions(options.except)
  }

  async start({ settings, log, openStore, routes, watchRunning }: Services): Promise<void> {
    const { page, retryAfterSeconds = defaultRetryAfterSeconds, startClosed = false } = this.#options
    const store = this.#options.store ?? (await openStore()).engine.lock
    const { journal } = store
    const reporter = journal === undefined ? undefined : new LockReporter({ journal, watchRunning })
    this.#reporter = reporter
    const lock = new Lock({
      bootValue: settings.lock,
      startClosed,
      store,
      log,
      onHeard: (heard) => reporter?.hear(heard),
    })
    this.#lock = lock
    this.#view = {
      facts: async () => readLockFacts(store, settings.lock),
      problem: () => lock.problem,
      announced: () => lock.announced,
    }
    const ofApplication = new ApplicationRoutes(routes)
    this.#routes = ofApplication
    const gate = new Gate({ lock, exceptions: this.#exceptions, routes: ofApplication, log })
    this.#gate = gate
    this.#listener = new MaintenanceListener({
      lock,
      gate,
      builtInPage: builtInMaintenancePage,
      builtInPolicy: quietPagePolicy,
      ...(page === undefined ? {} : { pagePath: path.resolve(settings.projectRoot, page) }),
      retryAfterSeconds,
      log,
      onTurnedAway: () => reporter?.turnedAway(),
    })
    await Promise.all([this.#lock.start(), this.#listener.start()])
  }

  async stop(): Promise<void> {
    this.#lock?.close()
    this.#listener?.close()
    await this.#reporter?.close()
  }

  /** For the server of another framework. From then on paths are compared as any router may read them. */
  guard(): ServerGuard {
    this.#gate?.standBefore()
    return this
  }

  /** Whether every request is served now. */
  get isOpen(): boolean {
    return this.#lock?.isOpen ?? true
  }

  /** Whether a request gets a response from here instead of one of another framework: the 503, or the cookie of a link. */
  turnsAway(request: HttpRequest): Awaitable<boolean> {
    const verdict = this.#gate?.turnsAway(request) ?? false
    return isPromise(verdict) ? verdict.then((late) => late !== false) : verdict !== false
  }

  /** What the profiler shows of the lock. Known once the plugin has started. */
  get lockView(): LockView | undefined {
    return this.#view
  }

  /** Throws a TypeError for an exception that names a route which the application does not have. */
  get listeners(): readonly Listener[] {
    if (this.#listener === undefined) return []
    if (this.#routes !== undefined) checkRouteNames(this.#exceptions.routes, this.#routes)
    return [this.#listener]
  }

  /** The application lock. Throws before the application has started. */
  get lock(): Pick<Lock, 'isClosed' | 'state'> {
    if (this.#lock === undefined) throw new Error('The lock is known once the application has started')
    return this.#lock
  }
}

/** Throws a TypeError for the first route that the application does not have. */
function checkRouteNames(names: readonly string[], routes: ApplicationRoutes): void {
  const unknown = routes.findUnknown(names)
  if (unknown === undefined) return
  const advice = unknown.near === null ? '' : ` Did you mean "route:${unknown.near}"?`
  throw new TypeError(
    `Option "except" of maintenance() has "route:${unknown.name}", which the application does not have.${advice} Allowed: names of its routes`,
  )
}

/** Makes the plugin. Name it first: what comes before it runs while the application is closed. */
export function maintenance(options: MaintenanceOptions = {}): MaintenancePlugin {
  return new MaintenancePlugin(options)
}
