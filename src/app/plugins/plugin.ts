// A part of an application: the profiler, maintenance, or one of your own.

import type { RuntimeContext } from '../../http/config/runtime-context.ts'
import type { Awaitable } from '../../base/members.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import type { Logger, LogSink } from '../../base/log/logger.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type { AnyRoutes } from '../../routing/route-collection.ts'
import type { Collector } from '../../observe/collector.ts'
import type { LockView } from '../../profiles/lock-facts.ts'
import type { Panel } from '../../pages/panel.ts'
import type { Commands, CommandStart } from '../../http/kernel/commands.ts'
import type { OpenedStore } from '../open-store.ts'

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
