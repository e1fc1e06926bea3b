// Puts an application together: the only place that knows all its parts. The order of the listeners is the order in which
// they run.

import { resolve } from 'node:path'
import { NodeServer } from '../adapters/node/server.ts'
import { loadRuntimeContext, type RuntimeContext } from '../context/runtime-context.ts'
import { CachedCurrencyStore } from '../currency/cached-currency-store.ts'
import { CurrencyListener } from '../currency/currency-listener.ts'
import { TrustedProxies } from '../http/trusted-proxies.ts'
import { ErrorAnswer } from '../kernel/error-answer.ts'
import { Kernel } from '../kernel/kernel.ts'
import { Moments } from '../kernel/moments.ts'
import { RouteStep } from '../kernel/route-step.ts'
import { routeProblem } from '../log/lines.ts'
import { Logger, type LogSink } from '../log/logger.ts'
import { createProcessLog } from '../log/process-log.ts'
import { Lock } from '../maintenance/lock.ts'
import { MaintenanceListener } from '../maintenance/maintenance-listener.ts'
import { builtInMaintenancePage } from '../pages/maintenance-page.ts'
import { quietPagePolicy } from '../pages/quiet-page.ts'
import { resolveRecordingRules } from '../profiler/keeping/recording-rules.ts'
import { Redactor } from '../redact/redactor.ts'
import { RouteCollection } from '../routing/route-collection.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'
import { App } from './app.ts'
import { renderPublicPage, StaticErrorPage } from './error-pages.ts'
import { LazyResponder } from './lazy-responder.ts'
import { openStores } from './open-stores.ts'
import { QuietMisses } from './quiet-misses.ts'
import { resolveOptions, type AppOptions } from './options.ts'
import { RouterView } from './router-view.ts'

/** How long after the start the error handler is loaded, in milliseconds, when no error has needed it before. */
const loadErrorHandlerMs = 1000

/** Makes an application. Rejects with one-line errors: a runtime context, a route table or a store that cannot be used. */
export async function createApp(given: AppOptions): Promise<App> {
  const options = resolveOptions(given)
  const context = given.context ?? loadRuntimeContext({ cwd: process.cwd(), env: process.env }).context
  const recording = resolveRecordingRules(options.recording, context.recording, context.env)
  const redactor = new Redactor(options.redact)
  const { log, closeLog } = openLog(given.log, context, redactor)

  const { engine, problem } = await openStores(context, log, recording.keep.slowMs)
  const currencies = given.currencyStore ?? new CachedCurrencyStore(engine.currencies)
  const lock = new Lock({ bootValue: context.lock, store: engine.lock, log })
  const services = { context, currencies, lock, log: new Logger(log) }
  const own = typeof options.routes === 'function' ? options.routes(services) : options.routes
  const routes = new RouteCollection().merge(own)
  const routerView = new RouterView(own)
  if (context.env === 'dev') warnOfRoutes(routerView, log)
  // Outside debug none of it is even loaded.
  const debug = context.debug
    ? (await import('./debug-parts.ts')).createDebugParts({
        context,
        options,
        recording,
        engine,
        problem,
        redactor,
        log,
        routes,
        routerView,
      })
    : null

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
  const errorHandler = new LazyResponder('error handler', async () => {
    const { ErrorHandler } = await import('../errors/error-handler.ts')
    return new ErrorHandler({
      debug: context.debug,
      projectRoot: context.projectRoot,
      redactor,
      profilerPath: debug?.profilerPath ?? null,
      renderPublicPage,
      ...(options.errorPage === undefined ? {} : { ownPublicPage: options.errorPage }),
      ...debug?.errorOptions,
      publicPagePolicy: quietPagePolicy,
    })
  })

  // A page of the application's own is for the error handler to ask.
  const isQuiet = debug === null && options.errorPage === undefined
  const quietMisses = isQuiet ? new QuietMisses({ log, redactor }) : undefined

  const last = debug === null ? [] : [debug.lastListener]

  errorHandler.loadLater(loadErrorHandlerMs)

  await lock.start()
  await maintenance.start()
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
      moments: new Moments([maintenance, ...(debug?.listeners ?? []), currency, ...options.listeners, ...last], log),
      routeStep: new RouteStep(new UrlMatcher(routes)),
      errorAnswer: new ErrorAnswer([errorHandler, new StaticErrorPage()], log),
      ...(quietMisses === undefined ? {} : { missAnswer: quietMisses }),
    }),
    createServer: (front) =>
      new NodeServer(front, {
        trustedProxies: new TrustedProxies(context.trustedProxies),
        maxBodyBytes: options.maxBodyBytes,
        drainMs: options.drainMs,
      }),
    beginEnd: () => debug?.beginClose(),
    end: async () => {
      lock.close()
      maintenance.close()
      quietMisses?.flush()
      errorHandler.close()
      await debug?.close()
      await engine.close()
      await closeLog()
    },
  })
}

function warnOfRoutes(view: RouterView, log: LogSink): void {
  for (const { kind, message, route, by } of view.findings()) {
    log.write(routeProblem({ kind, message, route: route.name, by: by.name }))
  }
}

interface OpenedLog {
  readonly log: LogSink
  readonly closeLog: () => Promise<void>
}

function openLog(given: LogSink | undefined, context: RuntimeContext, redactor: Redactor): OpenedLog {
  if (given !== undefined) return { log: given, closeLog: async () => undefined }
  const log = createProcessLog({
    level: context.debug ? 'debug' : 'info',
    // A line for every request is for those who look into requests.
    ...(context.debug ? {} : { channelLevels: { router: 'warn' } as const }),
    pretty: context.env === 'dev' && process.stdout.isTTY,
    // On a terminal lines stand among those that the application prints itself.
    batchMs: context.debug && !process.stdout.isTTY ? 10 : 0,
    mask: (record) => redactor.record(record),
    maskText: (text) => redactor.text(text),
  })
  return { log, closeLog: async () => log.close() }
}
