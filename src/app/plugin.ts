// A part of an application: the profiler, maintenance, or one of your own.

import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { Awaitable } from '../framework/kernel/awaitable.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import type { Logger, LogSink } from '../framework/log/logger.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { RouteCollection } from '../framework/routing/route-collection.ts'
import type { RouteNames } from '../framework/routing/route-definition.ts'
import type { Collector } from '../profiler/collector.ts'
import type { SheddingView } from '../profiler/shedding-view.ts'
import type { LockView } from '../profiler/lock-facts.ts'
import type { Panel } from '../profiler/web/panel.ts'
import type { Commands } from './commands.ts'
import type { OpenedStore } from './open-store.ts'

/** A route table, whatever names its type knows. */
export type AnyRoutes = RouteCollection<RouteNames>

/**
 * A part of an application. The order of `createApp({ plugins })` is the order in which plugins start and their listeners run; they
 * stop in reverse. The profiler reads `collectors` and `panels` when it starts; the rest is read when every plugin has started.
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
  /** What the status page says of requests that are turned away under load. Default: nothing. */
  readonly sheddingView?: SheddingView | undefined
  /** What the profiler shows of the lock that closes the application. Default: it has none. */
  readonly lockView?: LockView | undefined
  /** Started by `fanlight run <name>`. */
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
  /** The application's own routes, without those of plugins. Known once every plugin has started; throws before. */
  routes(): AnyRoutes
  /** Counts, each time the function that it gives is called, those of the requests that run now which have not ended by then. */
  watchRunning(): () => number
  /** Opens `APP_STORE` on the first call; every call gives the same store. */
  openStore(): Promise<OpenedStore>
}
