// Maintenance as a plugin: while the application lock is closed, every request gets one static page.

import path from 'node:path'
import type { Plugin, Services } from '../../app/plugin.ts'
import { builtInMaintenancePage, quietPagePolicy } from '../../errors/page/quiet-page.ts'
import type { Listener } from '../../framework/kernel/listener.ts'
import { checkOptions, text, type OptionRules } from '../../framework/options/check-options.ts'
import { Lock } from './lock.ts'
import { isRetryAfter, maxRetryAfterSeconds } from './lock-members.ts'
import { defaultRetryAfterSeconds, type LockStore } from './lock-store.ts'
import { MaintenanceListener } from './maintenance-listener.ts'

/** What `maintenance()` takes. */
export interface MaintenanceOptions {
  /** Where the lock is kept. Default: the store of `APP_STORE`. */
  readonly store?: LockStore
  /** File of the page, absolute or relative to the project root. Default: the built-in page. */
  readonly page?: string
  /** Seconds for `Retry-After` while the lock store names none. Default: 120. */
  readonly retryAfterSeconds?: number
}

const rules: OptionRules<MaintenanceOptions> = {
  store: { allowed: 'a LockStore', fits: (value) => typeof value === 'object' && value !== null },
  page: text,
  retryAfterSeconds: { allowed: `a whole number from 0 to ${maxRetryAfterSeconds}`, fits: isRetryAfter },
}

/** Closes the application for maintenance (SPEC 6). */
export class MaintenancePlugin implements Plugin {
  readonly name = 'maintenance'
  readonly #store: LockStore | undefined
  readonly #page: string | undefined
  readonly #retryAfterSeconds: number
  #lock: Lock | undefined
  #listener: MaintenanceListener | undefined

  constructor(options: MaintenanceOptions) {
    checkOptions<MaintenanceOptions>('maintenance()', options, rules)
    this.#store = options.store
    this.#page = options.page
    this.#retryAfterSeconds = options.retryAfterSeconds ?? defaultRetryAfterSeconds
  }

  async start({ settings, log, openStore }: Services): Promise<void> {
    const store = this.#store ?? (await openStore()).engine.lock
    this.#lock = new Lock({ bootValue: settings.lock, store, log })
    this.#listener = new MaintenanceListener({
      lock: this.#lock,
      builtInPage: builtInMaintenancePage,
      builtInPolicy: quietPagePolicy,
      ...(this.#page === undefined ? {} : { pagePath: path.resolve(settings.projectRoot, this.#page) }),
      retryAfterSeconds: this.#retryAfterSeconds,
      log,
    })
    await Promise.all([this.#lock.start(), this.#listener.start()])
  }

  stop(): void {
    this.#lock?.close()
    this.#listener?.close()
  }

  get listeners(): readonly Listener[] {
    return this.#listener === undefined ? [] : [this.#listener]
  }

  /** The application lock. Throws before the application has started. */
  get lock(): Pick<Lock, 'isClosed' | 'state'> {
    if (this.#lock === undefined) throw new Error('The lock is known once the application has started')
    return this.#lock
  }
}

/** Makes the plugin. Name it first: what comes before it runs while the application is closed. */
export function maintenance(options: MaintenanceOptions = {}): MaintenancePlugin {
  return new MaintenancePlugin(options)
}
