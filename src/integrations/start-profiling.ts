// Starts the profiler of a process whose requests other frameworks handle: an application of this library without routes, which
// serves the profiler's pages, and the parts that record and show errors.

import type { RequestListener } from 'node:http'
import { createApp } from '../app/create-app.ts'
import { loadErrorHandler, type LoadedErrorHandler } from '../app/load-error-handler.ts'
import type { Plugin, Services } from '../app/plugin.ts'
import { loadRuntimeContext, type RuntimeContext } from '../framework/config/runtime-context.ts'
import { TrustedProxies } from '../framework/http/trusted-proxies.ts'
import type { Logger, LogSink } from '../framework/log/logger.ts'
import { ProfilerPlugin } from '../profiler/plugin.ts'
import type { Observing } from '../profiler/profiler-options.ts'
import type { FrameworkRoutes } from './framework-routes.ts'
import type { Notes } from './notes.ts'
import type { IntegrationOptions } from './options.ts'

/** A profiler that runs. */
export interface Profiling {
  readonly options: IntegrationOptions
  /** `/_profiler` */
  readonly profilerPath: string
  /** Serves the profiler's pages. */
  readonly pages: RequestListener
  readonly observing: Observing
  readonly errors: LoadedErrorHandler
  readonly log: Logger
  readonly trustedProxies: TrustedProxies
  readonly routes: FrameworkRoutes
  readonly notes: Notes
}

/** Rejects with an error that names the setting or option that cannot be used. */
export async function startProfiling(
  options: IntegrationOptions,
  routes: FrameworkRoutes,
  notes: Notes,
): Promise<Profiling> {
  const settings = readSettings()
  const { redact, hints, profilerPath = '/_profiler', access, allowedPeers, recording, collectors, panels } = options
  const { captureResponses, captureMessages, ai } = options
  const plugin = new ProfilerPlugin(
    withoutUndefined({ access, allowedPeers, recording, collectors, panels, captureResponses, captureMessages, ai }),
    {
      profilerPath,
      hasOwnParts: false,
      routesOf: (request) => routes.tableOf(request),
      notes: () => notes.list(),
    },
  )
  const seen = new SeenServices()
  const app = await createApp({
    routes: routes.table,
    plugins: [plugin, seen],
    context: settings,
    log: quiet,
    ...withoutUndefined({ redact, hints }),
  })
  const { observing } = plugin
  const { services } = seen
  if (observing === null || services === undefined) throw new Error('APP_DEBUG is 0: nothing is recorded')
  const { log, redactor } = services
  const errors = await loadErrorHandler({
    settings,
    redactor,
    log,
    given: withoutUndefined({ hints }),
    recorder: plugin,
    // The framework prints its errors itself.
    prints: false,
  })
  const trustedProxies = new TrustedProxies(settings.trustedProxies)
  return { options, profilerPath, pages: app.handler, observing, errors, log, trustedProxies, routes, notes }
}

/** The process log: the framework and the application print their own lines. */
const quiet: LogSink = { write: () => undefined, dropped: 0 }

/** Gives what an application offers to its plugins. */
class SeenServices implements Plugin {
  readonly name = 'integrations'
  services: Services | undefined

  start(services: Services): void {
    this.services = services
  }
}

/** What concerns servers, lock and currency is the framework's, whatever its variables are called. */
function readSettings(): RuntimeContext {
  const { env } = process
  const environment = env['APP_ENV'] || (env['NODE_ENV'] === 'test' ? 'test' : 'dev')
  const own = { APP_ENV: environment, APP_LOCK: '0', APP_CURRENCY: 'EUR', HOST: '127.0.0.1', PORT: '8000' }
  return loadRuntimeContext({ cwd: process.cwd(), env: { ...env, ...own } }).context
}

type Defined<Given extends object> = { readonly [Name in keyof Given]: Exclude<Given[Name], undefined> }

/** Without the members that are not set: an option that is `undefined` is not given. */
function withoutUndefined<Given extends object>(given: Given): Partial<Defined<Given>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Defined<Given>>
}
