// The profiler as a plugin: in debug it records requests and shows them below `/_profiler`; outside debug none of it is loaded.

import type { CommandRecorder } from '../../http/kernel/commands.ts'
import type { Plugin, Services } from '../options.ts'
import type { AnyRoutes } from '../../routing/route-collection.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import { checkOptions } from '../../base/options/check-options.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import { checkAiOptions } from '../../observe/ai-options.ts'
import { resolveRecordingRules } from '../../profiles/sampling/recording-rules.ts'
import type { ProfileReader } from '../../profiles/profile-store.ts'
import type { RouterView } from '../../profiles/router-view.ts'
import { ownHost, profilerRules } from '../profiler-options.ts'
import type { Observing, ProfilerHost, ProfilerOptions, StartedProfiler } from '../profiler-options.ts'

/** Records requests in debug. */
export class ProfilerPlugin implements Plugin {
  readonly name = 'profiler'
  /** Where profiles are shown. */
  readonly path: string
  readonly #options: ProfilerOptions
  readonly #host: ProfilerHost
  #started: StartedProfiler | undefined

  /** `host`: what it records. Default: an application of this library. */
  constructor(options: ProfilerOptions, host: ProfilerHost = ownHost) {
    checkOptions<ProfilerOptions>('profiler()', options, profilerRules)
    if (options.ai !== undefined) checkAiOptions(options.ai)
    this.#options = options
    this.#host = host
    this.path = host.profilerPath
  }

  /** Throws a TypeError that names an option out of range. Starts once, for all applications that have it. */
  async start(services: Services): Promise<void> {
    const { recording = {} } = this.#options
    const { settings } = services
    const rules = resolveRecordingRules(recording, settings.recording, settings.env)
    if (!settings.debug || this.#started !== undefined) return
    const { startProfiler } = await import('../start-profiler.ts')
    this.#started = await startProfiler({ options: this.#options, rules, services, host: this.#host })
  }

  async stop(): Promise<void> {
    await this.#started?.stop()
  }

  get listeners(): readonly Listener[] {
    return this.#started?.listeners ?? []
  }

  get routes(): AnyRoutes | undefined {
    return this.#started?.routes()
  }

  /** Path of the first page, with the key if one is needed: `/_profiler/?key=…`. */
  get entry(): string {
    return this.#started?.entry ?? `${this.path}/`
  }

  /** Whether a request may be shown an error in full: those who may open profiles. Never rejects. */
  async showsErrors(request: HttpRequest): Promise<boolean> {
    return this.#started?.access.showsErrors(request) ?? false
  }

  /** Reads profiles; `null` outside debug. */
  get profiles(): ProfileReader | null {
    return this.#started?.profiles ?? null
  }

  /** Records runs of commands; `null` outside debug. */
  get commandRecorder(): CommandRecorder | null {
    return this.#started?.commands ?? null
  }

  /** What records requests that no kernel handles; `null` outside debug. */
  get observing(): Observing | null {
    return this.#started?.observing ?? null
  }

  /** Explains the application's routes. Throws outside debug. */
  get routerView(): RouterView {
    if (this.#started === undefined) throw new Error('The profiler is off: it runs in debug only')
    return this.#started.routerView()
  }
}

/** Makes the plugin. In debug an application has it without naming it; name it to give it options. */
export function profiler(options: ProfilerOptions = {}): ProfilerPlugin {
  return new ProfilerPlugin(options)
}
