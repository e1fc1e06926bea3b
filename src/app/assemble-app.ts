// Puts an application together: the only place that knows all its parts. The order of the listeners is the order in which
// they run.

import { resolve } from 'node:path'
import { NodeServer } from '../framework/node/server.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { CachedCurrencyStore } from '../plugins/currency/cached-currency-store.ts'
import { CurrencyListener } from '../plugins/currency/currency-listener.ts'
import { TrustedProxies } from '../framework/http/trusted-proxies.ts'
import { ErrorReply } from '../framework/kernel/error-reply.ts'
import { Kernel } from '../framework/kernel/kernel.ts'
import { ListenerRunner } from '../framework/kernel/listener-runner.ts'
import { RouteStep } from '../framework/kernel/route-step.ts'
import { setupWarning, routeProblem } from '../framework/log/lines.ts'
import { Logger, type Log, type LogSink } from '../framework/log/logger.ts'
import { createProcessLog } from '../framework/log/process-log.ts'
import { RedactedLog } from '../framework/log/redacted-log.ts'
import { Lock } from '../plugins/maintenance/lock.ts'
import { MaintenanceListener } from '../plugins/maintenance/maintenance-listener.ts'
import { builtInMaintenancePage, quietPagePolicy } from '../errors/page/quiet-page.ts'
import { StaticErrorPage } from '../errors/public-response.ts'
import type { RecordingRules } from '../profiler/keeping/recording-rules.ts'
import { Redactor } from '../framework/redact/redactor.ts'
import { RouteCollection } from '../framework/routing/route-collection.ts'
import { UrlMatcher } from '../framework/routing/url-matcher.ts'
import type { ErrorHandler } from '../errors/error-handler.ts'
import { App } from './app.ts'
import { LazyResponder } from './lazy-responder.ts'
import { fillCurrencies, openStores } from './open-stores.ts'
import type { AnyRoutes, AppOptions, ResolvedOptions } from './options.ts'

/**
 * How long after the start that is done which no first answer waits for, in milliseconds: error answers are loaded that no error
 * has needed before, and routes are looked through.
 */
const laterMs = 1000

/** Stack frames that the errors of a 404 and 405 have in debug. */
const missFrames = 10

/** What an application is put together from. */
export interface AssemblyInput {
  readonly given: AppOptions
  readonly options: ResolvedOptions
  readonly context: RuntimeContext
  readonly recording: RecordingRules
}

/** Puts it together, and opens the store. */
export async function assembleApp({ given, options, context, recording }: AssemblyInput): Promise<App> {
  const redactor = new Redactor(options.redact)
  const { sink, closeLog } = openLog(given.log, context)
  const log = new RedactedLog(sink, redactor)
  // Outside debug none of it is even loaded.
  const debugParts = context.debug ? await import('./debug-parts.ts') : null

  const { engine, problem } = await openStores(context, log)
  const currencies = given.currencyStore ?? new CachedCurrencyStore(engine.currencies)
  const lock = new Lock({ bootValue: context.lock, store: engine.lock, log })
  const services = { context, currencies, lock, log: new Logger(log) }
  const own = typeof options.routes === 'function' ? options.routes(services) : options.routes
  const routes = new RouteCollection().merge(own)
  const debug =
    debugParts === null
      ? null
      : debugParts.createDebugParts({ context, options, recording, engine, problem, redactor, sink, log, routes, own })

  const { maintenancePage, retryAfterSeconds, currencyBudgetMs: budgetMs } = options
  const maintenance = new MaintenanceListener({
    lock,
    builtInPage: builtInMaintenancePage,
    builtInPolicy: quietPagePolicy,
    ...(maintenancePage === undefined ? {} : { pagePath: resolve(context.projectRoot, maintenancePage) }),
    retryAfterSeconds,
    log,
  })
  const currency = new CurrencyListener({ store: currencies, defaultCode: context.currency, budgetMs, redactor })
  let loadedHandler: ErrorHandler | undefined
  const errorHandler = new LazyResponder('error handler', async () => {
    const [{ ErrorHandler }, { StackFrames }] = await Promise.all([
      import('../errors/error-handler.ts'),
      import('../errors/stack-frames.ts'),
    ])
    const frames = new StackFrames(context.projectRoot, { maskText: (text) => redactor.text(text) })
    const debugRenderer = (await debug?.errorRenderer()) ?? null
    loadedHandler = new ErrorHandler({
      redactor,
      log,
      frames: () => frames,
      debugRenderer: debugRenderer === null ? null : () => debugRenderer,
      ...(options.errorPage === undefined ? {} : { errorPage: options.errorPage }),
    })
    return loadedHandler
  })

  const last = debug === null ? [] : [debug.lastListener]

  errorHandler.loadLater(laterMs)
  const routeCheck = context.env === 'dev' ? setTimeout(() => void warnOfRoutes(own, log), laterMs).unref() : undefined

  await Promise.all([lock.start(), maintenance.start(), fillCurrencies(engine, log)])
  return new App({
    context,
    log,
    lock,
    routes: own,
    currencies,
    profiles: debug?.profiles ?? null,
    commands: typeof options.commands === 'function' ? options.commands(services) : options.commands,
    commandRecorder: debug?.commands ?? null,
    profilerPath: debug?.profilerPath ?? null,
    storeName: problem === null ? engine.name : `${engine.name} (${context.store} cannot be used)`,
    tracksExchange: debug !== null,
    kernel: new Kernel({
      listeners: new ListenerRunner(
        [maintenance, ...last, ...(debug?.listeners ?? []), currency, ...options.listeners],
        log,
      ),
      routeStep: new RouteStep(new UrlMatcher(routes), context.debug ? missFrames : 0),
      errorReply: new ErrorReply([errorHandler, new StaticErrorPage()], log),
    }),
    createServer: (front) =>
      new NodeServer(front, {
        trustedProxies: new TrustedProxies(context.trustedProxies),
        maxBodyBytes: options.maxBodyBytes,
        drainMs: options.drainMs,
      }),
    beginEnd: () => debug?.beginClose(),
    end: async () => {
      clearTimeout(routeCheck)
      lock.close()
      maintenance.close()
      loadedHandler?.close()
      errorHandler.close()
      await debug?.close()
      await engine.close()
      await closeLog()
    },
  })
}

/** Never rejects: what cannot be looked through is told. */
async function warnOfRoutes(routes: AnyRoutes, log: Log): Promise<void> {
  try {
    const { checkRoutes } = await import('../framework/routing/route-health.ts')
    for (const { kind, message, route, by } of checkRoutes(routes)) {
      log.write(routeProblem({ kind, message, route: route.key, by: by.key }))
    }
  } catch (error) {
    log.write(setupWarning({ warning: `The routes could not be looked through: ${String(error)}` }))
  }
}

interface OpenedLog {
  readonly sink: LogSink
  readonly closeLog: () => Promise<void>
}

function openLog(given: LogSink | undefined, context: RuntimeContext): OpenedLog {
  if (given !== undefined) return { sink: given, closeLog: async () => undefined }
  const sink = createProcessLog({
    level: context.debug ? 'debug' : 'info',
    // In production nobody reads a line per request.
    ...(context.debug ? {} : { channelLevels: { router: 'warn' } as const }),
    pretty: context.env === 'dev' && process.stdout.isTTY,
  })
  return { sink, closeLog: () => sink.close() }
}
