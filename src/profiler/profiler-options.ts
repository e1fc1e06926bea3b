// What the profiler takes, and what it gives once it runs.

import type { CommandRecorder } from '../app/commands.ts'
import type { AnyRoutes } from '../app/plugin.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import type { Collector } from './collector.ts'
import type { RecordingOptions } from './sampling/recording-rules.ts'
import type { ProfileReader } from './profile-store.ts'
import type { RouterView } from './router-view.ts'
import type { Panel } from './web/panel.ts'
import type { AccessQuestion, ProfilerAccess } from './web/profiler-access.ts'

export interface ProfilerOptions {
  /** What is recorded and what is kept. Default: everything, within the bounds of the store. */
  readonly recording?: RecordingOptions
  /** Gather facts of your own; a panel of the same name draws them. Default: none. */
  readonly collectors?: readonly Collector[]
  readonly panels?: readonly Panel[]
  /**
   * Addresses and networks beside this machine that may open profiles: `172.17.0.1`, the bridge of a container. Hosts and origins are
   * checked as well. Default: none.
   */
  readonly allowedPeers?: readonly string[]
  /**
   * Asked for each request that may open profiles by the rules of hosts, peers and origins: `true` lets it in. Everything else refuses,
   * also a throw and an answer that takes more than 5 seconds, or 200 ms on pages of the application. It can only narrow. Covers pages,
   * exports, live lists, the toolbar, errors shown in full and CPU profiles. Default: nobody else is refused.
   */
  readonly access?: AccessQuestion
  /** A request without a response for this long is explained in the log, in milliseconds; 0: never. Default: 10,000. */
  readonly hungRequestMs?: number
}

/** A profiler that runs. */
export interface StartedProfiler {
  readonly listeners: readonly Listener[]
  readonly routes: AnyRoutes
  readonly access: ProfilerAccess
  /** Path of the first page, with the key where one is needed. */
  readonly entry: string
  readonly profiles: ProfileReader
  readonly commands: CommandRecorder
  readonly routerView: () => RouterView
  readonly stop: () => Promise<void>
}
