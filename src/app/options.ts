// The options and the parts of an application: the profiler, maintenance, or a plugin of your own.

import type { AccessLines } from '../http/config/variables.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import type { OwnErrorPage } from '../errors/public-response.ts'
import type { HintRule } from '../errors/hints/hint.ts'
import type { ErrorFormat } from '../http/kernel/handler-options.ts'
import type { Listener } from '../http/kernel/listener.ts'
import type { LogSink, Logger } from '../base/log/logger.ts'
import type { RedactionRules } from '../base/redact/rules.ts'
import type { Commands, CommandStart } from '../http/kernel/commands.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'
import type { Awaitable } from '../base/members.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import type { Collector } from '../observe/collector.ts'
import type { LockView } from '../profiles/lock.ts'
import type { Panel } from '../pages/panel.ts'
import type { OpenedStore } from './open-engine.ts'

/** What `createApp` takes. */
export interface AppOptions {
  /** The route table, or a function that makes it once every plugin has started; `fanlight routes` and `match` call it before. */
  readonly routes: AnyRoutes | ((services: Services) => AnyRoutes)
  /**
   * The parts of the application, in the order in which they start and run. In debug the profiler is added behind `maintenance()`, or
   * first, unless it is in the list. Default: none.
   */
  readonly plugins?: readonly Plugin[]
  /**
   * Environment, lock, store, host and port. Default: read from `process.env` and the `.env` files of
   * the working directory, whose names are set in `process.env` where it lacks them.
   */
  readonly context?: RuntimeContext
  /** Take part in every request, after the listeners of plugins. Default: none. */
  readonly listeners?: readonly Listener[]
  /**
   * Started by `fanlight run <name>` or `app.runCommand()`; recorded in debug like requests. `fanlight run` starts only the plugins that a
   * command names: `{ plugins: ['mail'], run }`. Default: none.
   */
  readonly commands?: Commands | ((services: Services) => Commands)
  /**
   * The error page outside debug. It gets status, reason phrase and reference, and a nonce for its styles and scripts; it must
   * return at once. If it throws, the built-in page is sent with the same status and reference. Default: the built-in page.
   */
  readonly errorPage?: OwnErrorPage
  /**
   * The form of every error response: `problem`, a problem document; `html`, a page; or a function that makes the response. A group of
   * routes may have another one. Default: `Accept` decides.
   */
  readonly errorFormat?: ErrorFormat
  /** Explain errors of your own on the error page in debug; asked before the built-in hints. Default: none. */
  readonly hints?: readonly HintRule[]
  /**
   * Secrets that cookies are signed with, of 32 to 512 characters of ASCII without spaces and commas. The first one signs, and each of them
   * is good for reading: to change the secret, put a new one in front. `APP_COOKIE_SECRETS` counts instead, if it is set. Default: none,
   * and a signed cookie is an error.
   */
  readonly cookieSecrets?: readonly string[]
  /** More headers, keys and patterns to mask in logs, profiles and pages. Rules can only be added. Default: none. */
  readonly redact?: RedactionRules
  /** Where log lines go. Default: standard output, for people on a terminal in development, else as JSON lines. */
  readonly log?: LogSink
  /**
   * Which responses get an access line outside debug: `all`; `errors`, those from 400 on and those that broke off; a share of the others
   * beside them, 0.1; or none, `off`. `APP_ACCESS_LOG` counts instead, if it is set. Default: `all`.
   */
  readonly accessLog?: AccessLines
  /** Paths, with `/*` also all below, and names of routes whose responses get no access line below 500: `['/health/*', 'ready']`. Default: none. */
  readonly accessLogExcept?: readonly string[]
  /** Largest request body in bytes; a larger one gets a 413. Default: 1 MiB. */
  readonly maxBodyBytes?: number
  /** Largest request line and header fields together, in bytes; more gets a 431. Default: 16,384. */
  readonly maxHeaderBytes?: number
  /**
   * How long `close()` waits for running requests, in milliseconds; then they are cut. Default: 10,000; in development 200 at most,
   * because a restart waits for it.
   */
  readonly drainMs?: number
  /**
   * How long `run()` goes on to serve after SIGTERM, in milliseconds: each response says `Connection: close`, and a readiness check that reads
   * `closing` fails. Then it stops accepting. Default: 1,000 in production, else 0.
   */
  readonly lingerMs?: number
}

/**
 * A part of an application. The order of `createApp({ plugins })` is the order in which plugins start and their listeners run; they
 * stop in reverse. `commands` are read before, `collectors` and `panels` when the profiler starts, the rest when every plugin has started. `fanlight routes`
 * and `match` start none, so they see only routes that are there without; `fanlight run` starts those that its command needs.
 */
export interface Plugin {
  /** For people, and to tell plugins apart: no two of an application have the same name. */
  readonly name: string
  /** Take part in every request; a plugin may make them in `start`. Default: none. */
  readonly listeners?: readonly Listener[] | undefined
  /** Added after the application's own routes. */
  readonly routes?: AnyRoutes | undefined
  /** Gather facts for the profile of a request; a panel of the same name draws them. */
  readonly collectors?: readonly Collector[] | undefined
  /** Show the data of collectors on pages of profiles. Default: none. */
  readonly panels?: readonly Panel[] | undefined
  /** What the profiler shows of the lock that closes the application. Default: it has none. */
  readonly lockView?: LockView | undefined
  /** Started by `fanlight run <name>`, which starts this plugin and those that the command names. */
  readonly commands?: Commands | undefined
  /** Before the first request. What it throws stops the start. */
  start?(services: Services): Awaitable<void>
  /** After the last request, or after a start that failed. What it throws is logged, and the other plugins are stopped too. */
  stop?(): Awaitable<void>
}

/** What an application offers to its plugins, routes and commands. */
export interface Services {
  /** The runtime context: environment, debug, lock, host, port. */
  readonly settings: RuntimeContext
  /** What the application is started for: requests, a command of `fanlight run`, or tests (`APP_ENV=test`). */
  readonly startedFor: 'serve' | 'command' | 'test'
  /** The process log. */
  readonly log: Logger
  /** Masks secrets by the built-in rules and those of the option `redact`. */
  readonly redactor: Redactor
  /** Aborted when the application begins to close, before it waits for running requests. */
  readonly closing: AbortSignal
  /** Where log lines go. */
  readonly sink: LogSink
  /** Every plugin, in order; the last one has what `createApp` was given directly. */
  readonly plugins: readonly Plugin[]
  /** The routes of the application and its plugins, without the profiler's. Known once every plugin has started; throws before. */
  routes(): AnyRoutes
  /** Counts, each time the function that it gives is called, those of the requests that run now which have not ended by then. */
  watchRunning(): () => number
  /**
   * Runs any work as a command that is recorded in debug: a job of a queue, a task of a timer. Gives what the work gives and throws what it
   * throws; a number is its exit code. `begun` gets the token of the profile before the work begins.
   */
  profileCommand<Result>(
    command: CommandStart,
    work: (log: Logger) => Awaitable<Result>,
    begun?: (token: string) => void,
  ): Promise<Result>
  /** Opens `APP_STORE` on the first call; every call gives the same store. */
  openStore(): Promise<OpenedStore>
}
