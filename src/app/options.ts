// Every option of an application, with its default, resolved once into a complete record that the rest reads.

import type { CurrencyStore } from '../plugins/currency/currency-store.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { OwnErrorPage } from '../errors/public-response.ts'
import type { HintRule } from '../errors/hints/hint.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import type { Logger, LogSink } from '../framework/log/logger.ts'
import type { Collector } from '../profiler/collector.ts'
import type { RecordingOptions } from '../profiler/keeping/recording-rules.ts'
import { defaultRetryAfterSeconds } from '../plugins/maintenance/lock-store.ts'
import { isRetryAfter, maxRetryAfterSeconds } from '../plugins/maintenance/lock-state.ts'
import type { Lock } from '../plugins/maintenance/lock.ts'
import type { RedactionRules } from '../framework/redact/rules.ts'
import type { RouteCollection, RouteNames } from '../framework/routing/route-collection.ts'
import type { Panel } from '../profiler/web/panel.ts'
import type { AccessQuestion } from '../profiler/web/profiler-access.ts'
import type { Commands } from './commands.ts'

/** A route table, whatever names its type knows. */
export type AnyRoutes = RouteCollection<RouteNames>

/** What an application's own code may need of the library. */
export interface AppServices {
  readonly context: RuntimeContext
  readonly currencies: CurrencyStore
  readonly lock: Pick<Lock, 'isClosed' | 'state'>
  readonly log: Logger
}

/** What `createApp` takes. */
export interface AppOptions {
  /** The route table, or what makes it from the services of the application. The profiler's routes are added in debug. */
  readonly routes: AnyRoutes | ((services: AppServices) => AnyRoutes)
  /** Environment, lock, store, host and port. Default: read from the environment and the `.env` files of the working directory. */
  readonly context?: RuntimeContext
  /** Takes part in every request after the library's own listeners, in this order. Default: none. */
  readonly listeners?: readonly Listener[]
  /** File of the maintenance page, absolute or relative to the project root. Default: the built-in page. */
  readonly maintenancePage?: string
  /**
   * The page outside debug for requests that failed, in the application's own look. It is told status, reason phrase and
   * reference, and may put `nonce` on styles and scripts of its own; it must answer at once. When it throws, the built-in
   * page answers with the same status and reference. Default: the built-in page.
   */
  readonly errorPage?: OwnErrorPage
  /** Seconds for `Retry-After` of the maintenance page while the lock store names none. Default: 120. */
  readonly retryAfterSeconds?: number
  /** Time budget of the currency read in milliseconds; a slower store counts as silent (SPEC 7.4). Default: 50. */
  readonly currencyBudgetMs?: number
  /** Largest request body in bytes; above it the answer is 413. Default: 1 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Addresses and networks beside this machine that may open profiles in debug, `172.17.0.1`: the bridge of a container, a
   * colleague. Hosts and origins are checked all the same. Default: none.
   */
  readonly allowedPeers?: readonly string[]
  /**
   * Asked for each request that may open profiles by the rules of hosts, peers and origins, before any work is done for it:
   * `true` lets it in, everything else refuses, a throw and an answer later than 5 seconds too. It narrows and never widens.
   * Covers pages, exports and live lists, the toolbar, and CPU profiles of a request. Default: nobody else is refused.
   */
  readonly access?: AccessQuestion
  /**
   * Work that is started by `fanlight run <name>` or `app.runCommand()`: a function by its name, or what makes them from the
   * services of the application. Recorded in debug like requests. Default: none.
   */
  readonly commands?: Commands | ((services: AppServices) => Commands)
  /** Gather and draw something of your own in the profiler; joined by name. Default: none. */
  readonly collectors?: readonly Collector[]
  readonly panels?: readonly Panel[]
  /** What is recorded in debug and what is kept of it. Default: everything, within the bounds of the store. */
  readonly recording?: RecordingOptions
  /** Explains errors of your own on the error page of debug; asked before the built-in hints. Default: none. */
  readonly hints?: readonly HintRule[]
  /** Further headers, keys and patterns to mask, beside the built-in rules; rules can only be added. Default: none. */
  readonly redact?: RedactionRules
  /** Where log lines go. Default: standard output, readable in development on a terminal, JSON lines elsewhere. */
  readonly log?: LogSink
  /** Where currencies are kept. Default: the store of `APP_STORE`. */
  readonly currencyStore?: CurrencyStore
  /**
   * After how long a request without an answer is explained in the log, in milliseconds: where it stands, what it waits for.
   * In debug only; 0: never. Default: 10,000.
   */
  readonly hungRequestMs?: number
  /** How long `close()` waits for requests in flight, in milliseconds; afterwards they are cut. Default: 10,000. */
  readonly drainMs?: number
}

/** The options, complete. */
export interface ResolvedOptions extends Required<
  Omit<AppOptions, 'context' | 'log' | 'maintenancePage' | 'currencyStore' | 'errorPage' | 'access'>
> {
  readonly maintenancePage: string | undefined
  readonly errorPage: AppOptions['errorPage']
  readonly access: AppOptions['access']
}

/** Fills in every default. Throws a TypeError that names an option out of range. */
export function resolveOptions(options: AppOptions): ResolvedOptions {
  return {
    routes: options.routes,
    listeners: options.listeners ?? [],
    maintenancePage: options.maintenancePage,
    errorPage: options.errorPage,
    retryAfterSeconds: retryAfter(options.retryAfterSeconds ?? defaultRetryAfterSeconds),
    currencyBudgetMs: wholeNumber('currencyBudgetMs', options.currencyBudgetMs ?? 50),
    maxBodyBytes: wholeNumber('maxBodyBytes', options.maxBodyBytes ?? 1024 * 1024),
    allowedPeers: options.allowedPeers ?? [],
    access: options.access,
    commands: options.commands ?? {},
    collectors: options.collectors ?? [],
    panels: options.panels ?? [],
    recording: options.recording ?? {},
    hints: options.hints ?? [],
    redact: options.redact ?? {},
    hungRequestMs: wholeNumber('hungRequestMs', options.hungRequestMs ?? 10_000),
    drainMs: wholeNumber('drainMs', options.drainMs ?? 10_000),
  }
}

function retryAfter(value: number): number {
  if (isRetryAfter(value)) return value
  const shown = JSON.stringify(value)
  throw new TypeError(
    `Option "retryAfterSeconds" is ${shown}; allowed: a whole number from 0 to ${maxRetryAfterSeconds}`,
  )
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`Option "${name}" is ${JSON.stringify(value)}; allowed: a whole number from 0`)
}
