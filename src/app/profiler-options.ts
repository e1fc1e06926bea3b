// What the profiler takes, and what it gives once it runs.

import { action, flag, isRecord, listOf, wholeNumberRule, type OptionRules } from '../base/options/check-options.ts'
import type { CommandRecorder } from '../http/kernel/commands.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'
import type { HttpRequest } from '../base/http/request.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import type { AiOptions } from '../observe/ai-options.ts'
import type { Collector } from '../observe/collector.ts'
import type { RecordingOptions } from '../profiles/sampling/recording-rules.ts'
import type { ProfileReader } from '../profiles/profile-store.ts'
import type { RouterView } from '../profiles/router-view.ts'
import type { OwnAddress } from '../profiles/replays.ts'
import type { Panel } from '../pages/panel.ts'
import type { PageToolbar } from '../pages/toolbar/page-toolbar.ts'
import type { AccessQuestion, ProfilerAccess } from '../pages/profiler-access.ts'

/** What `profiler()` takes. */
export interface ProfilerOptions {
  /** What is recorded and what is kept. Default: everything, within the bounds of the store. */
  readonly recording?: RecordingOptions
  /** Gather facts of your own; a panel of the same name draws them. Default: none. */
  readonly collectors?: readonly Collector[]
  /** Show the data of collectors of the same name. Default: none. */
  readonly panels?: readonly Panel[]
  /**
   * Addresses and networks beside this machine that may open profiles: `172.17.0.1`, the bridge of a container. Hosts and origins are
   * checked as well. Default: none.
   */
  readonly allowedPeers?: readonly string[]
  /**
   * Asked for each request that may open profiles by the rules of hosts, peers and origins: `true` lets it in. Everything else refuses,
   * also if it throws or takes more than 5 seconds, or 200 ms on pages of the application. It can only narrow. Covers pages,
   * exports, the toolbar, errors shown in full and CPU profiles. Default: nobody else is refused.
   */
  readonly access?: AccessQuestion
  /**
   * Keep the first 64 KB of each body of requests and responses, masked. `false`: none. Default: JSON and forms of up to 64 KB, but in `prod`;
   * a route with `captureBody` decides for itself.
   */
  readonly captureBodies?: boolean
  /** The same for bodies sent to other services and their responses. Default: as `captureBodies`. */
  readonly captureResponses?: boolean
  /** Keep the text of messages of WebSockets and of events, masked. Default: yes. */
  readonly captureMessages?: boolean
  /** Keep the addresses that mails are sent to; exports mask them in any case. Default: yes, but in `prod`. */
  readonly captureRecipients?: boolean
  /** What is kept of calls to language models. Default: neither prompts nor responses. */
  readonly ai?: AiOptions
  /** A request without a response for this long is explained in the log, in milliseconds; 0: never. Default: 10,000. */
  readonly hungRequestMs?: number
}

/** What each option may be, for all hosts. */
export const profilerRules: OptionRules<ProfilerOptions> = {
  recording: { allowed: 'an object with sampleRate, paths, maxPerSecond and slowMs', fits: isRecord },
  collectors: listOf('a list of collectors', () => true),
  panels: listOf('a list of panels', () => true),
  allowedPeers: listOf('a list of addresses and networks', () => true),
  access: action,
  captureBodies: flag,
  captureResponses: flag,
  captureMessages: flag,
  captureRecipients: flag,
  ai: { allowed: 'an object with captureTexts', fits: isRecord },
  hungRequestMs: wholeNumberRule,
}

/** What a profiler records. */
export interface ProfilerHost {
  /** Where profiles are shown, `/_profiler`. */
  readonly profilerPath: string
  /** Whether it has a lock to tell of. */
  readonly hasOwnParts: boolean
  /** The routes that a request may mean. Default: all of them. */
  readonly routesOf?: (request: HttpRequest) => AnyRoutes
  /** Where other servers of the process listen. */
  readonly servers: () => readonly OwnAddress[]
  /** What the status page says of it beside the figures, one sentence each. */
  notes(): readonly string[]
}

/** An application of this library. */
export const ownHost: ProfilerHost = {
  profilerPath: '/_profiler',
  hasOwnParts: true,
  servers: () => [],
  notes: () => [],
}

/** What records requests that another framework handles. */
export interface Observing {
  /** In this order, at `onRequest` and `onTerminate`. None of them waits, but for a CPU profile that was asked for. */
  readonly recorders: readonly Listener[]
  readonly toolbar: PageToolbar
  readonly access: ProfilerAccess
  /** Notes an error that nothing caught on its request, also after its profile is made. */
  noteUncaught(exchange: Exchange, thrown: unknown): void
  /** Ends a recording that nobody wants to keep. */
  drop(exchange: Exchange): void
  /** Ends everything that is recorded and writes it, holding the process for so many milliseconds at most. For its end. */
  endNow(budgetMs: number): void
  /** Writes what has ended, within the deadline in milliseconds. */
  flush(deadlineMs: number): Promise<void>
}

export interface StartedProfiler {
  readonly listeners: readonly Listener[]
  readonly routes: () => AnyRoutes
  readonly access: ProfilerAccess
  /** Path of the first page, with the key if one is needed. */
  readonly entry: string
  readonly profiles: ProfileReader
  readonly commands: CommandRecorder
  readonly routerView: () => RouterView
  readonly observing: Observing
  readonly stop: () => Promise<void>
}
