// Starts the profiler of a process whose requests other frameworks handle: an application of this library without routes, which
// serves the profiler's pages, and the parts that record and show errors.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LoadedErrorHandler } from '../app/load-error-handler.ts'
import { openStore } from '../app/open-engine.ts'
import type { ResponseFormat } from '../base/http/media-type.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import { lazy, requireBeside } from '../http/kernel/lazy.ts'
import { fillPlaceholders, Logger, type LogSink, RedactedLog } from '../base/log/logger.ts'
import { visibleLine } from '../base/markdown-text.ts'
import { Redactor } from '../base/redact/redactor.ts'
import { ProfilerPlugin } from '../app/plugins/profiler.ts'
import type { Observing } from '../app/profiler-options.ts'
import type * as ErrorTools from './error-tools.ts'
import type { OwnAddress } from '../profiles/replays.ts'
import type { FrameworkRoutes } from './framework-routes.ts'
import type { Notes } from './notes.ts'
import type { IntegrationOptions } from './options.ts'

export interface Profiling {
  readonly options: IntegrationOptions
  readonly shownForms: readonly ResponseFormat[]
  /** `/_profiler` */
  readonly profilerPath: string
  /** `/_profiler/`, with the key if one is needed. */
  readonly entry: string
  /** Serves the profiler's pages, by an application that is made for the first one. */
  pages(request: IncomingMessage, response: ServerResponse): Promise<void>
  readonly observing: Observing
  /** What errors are kept and shown with, made with the first one. */
  errors(): LoadedErrorHandler
  readonly log: Logger
  readonly trustedProxies: TrustedProxies
  readonly routes: FrameworkRoutes
  readonly notes: Notes
}

/** Rejects with an error that names the setting or option that cannot be used. */
export async function startProfiling(
  options: IntegrationOptions,
  settings: RuntimeContext,
  routes: FrameworkRoutes,
  notes: Notes,
  servers: () => readonly OwnAddress[],
): Promise<Profiling> {
  const { redact, hints, profilerPath = '/_profiler', errorPage: _, ...recorded } = options
  const plugin = new ProfilerPlugin(recorded, {
    profilerPath,
    hasOwnParts: false,
    routesOf: (request) => routes.tableOf(request),
    notes: () => notes.list(),
    servers,
  })
  const redactor = new Redactor(redact)
  const log = new Logger(new RedactedLog(quiet, redactor))
  await plugin.start({
    settings,
    startedFor: 'serve',
    log,
    sink: quiet,
    redactor,
    plugins: [plugin],
    closing: new AbortController().signal,
    routes: () => routes.table,
    watchRunning: () => () => 0,
    profileCommand: async (_, work) => work(log),
    openStore: lazy(() => openStore(settings, log)),
  })
  const { observing, entry } = plugin
  if (observing === null) throw new Error('the profiler did not start')
  const ownHints = hints === undefined ? {} : { hints }
  const pages = lazy(async () => {
    const { createApp } = await import('../app/create-app.ts')
    const given = { ...(redact && { redact }), ...ownHints }
    return createApp({ routes: routes.table, plugins: [plugin], context: settings, log: quiet, ...given })
  })
  let made: LoadedErrorHandler | undefined
  const makeErrors = (): LoadedErrorHandler => {
    const { createErrorTools } = requireBeside('error-tools', import.meta.url) as typeof ErrorTools
    // The framework prints its errors itself.
    return createErrorTools({ settings, redactor, log, given: ownHints, recorder: plugin, prints: false })
  }
  return {
    options,
    // Tests compare what is no page.
    shownForms: ['html', 'markdown', ...(settings.env === 'test' ? [] : (['json', 'text'] as const))],
    profilerPath,
    entry,
    pages: async (request, response) => (await pages()).handler(request, response),
    observing,
    errors: () => (made ??= makeErrors()),
    log,
    trustedProxies: new TrustedProxies(settings.trustedProxies),
    routes,
    notes,
  }
}

/** The process log: framework and application print their own lines. Of requests that hang, or whose client went away, nobody else tells. */
const quiet: LogSink = {
  write: (line) => {
    const isOfOpen = line.level === 'warn' && line.channel === 'kernel'
    if (isOfOpen && process.stderr.isTTY) process.stderr.write(`Fanlight: ${visibleLine(fillPlaceholders(line))}\n`)
  },
  dropped: 0,
}
