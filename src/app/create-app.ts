// Makes an application: resolves the options, starts the plugins in order, and puts the kernel in front of them.

import { clearTimeout, setTimeout } from '../base/timing/builtins.ts'
import { StaticErrorPage } from '../errors/public-response.ts'
import { cookieKey } from '../http/config/cookie-secrets.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import type { CookieSigner } from '../base/http/cookie-signer.ts'
import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { errorFormats } from '../http/kernel/handler-options.ts'
import { ErrorReply } from '../http/kernel/error-reply.ts'
import { Kernel } from '../http/kernel/kernel.ts'
import { ListenerRunner } from '../http/kernel/listener.ts'
import { RouteStep } from '../http/kernel/route-step.ts'
import { pluginStopFailed, routeProblem, setupWarning } from '../base/log/lines.ts'
import { Logger, type Log, type LogSink, RedactedLog } from '../base/log/logger.ts'
import { createProcessLog } from '../base/log/process-log.ts'
import { NodeServer } from '../http/node/server.ts'
import { Redactor } from '../base/redact/redactor.ts'
import { RouteCollection, type AnyRoutes } from '../routing/route-collection.ts'
import { checkRoutes } from '../routing/route-health.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'
import { isMaintenance } from '../stores/lock/lock-bits.ts'
import { maintenance, MaintenancePlugin } from './plugins/maintenance.ts'
import { profiler, ProfilerPlugin } from './plugins/profiler.ts'
import { AccessLog, checkAccessLogExcept } from './access-log.ts'
import { App } from './app.ts'
import { readWanted } from './command-line.ts'
import { readCommands, type KnownCommands } from '../http/kernel/commands.ts'
import { LazyErrorHandler } from './lazy-error-handler.ts'
import { lazy } from '../http/kernel/lazy.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { openStore, type OpenedStore } from './open-store.ts'
import { storeName } from './open-engine.ts'
import type { AppOptions } from './options.ts'
import { applicationName, checkAppOptions, checkedListeners, checkedRoutes } from './check-app-options.ts'
import { loadProcessContext } from './process-context.ts'
import type { Plugin, Services } from './plugins/plugin.ts'

/** Stack frames that the errors of a 404 and 405 have in debug. */
const missFrames = 10

/** A restart waits so long for running requests at most, in milliseconds. */
const maxDrainMsInDevelopment = 200

/** Enough for clients with busy connections to get one more response on each. */
const lingerMsInProduction = 1000

/** How long `stop()` of a plugin may run, in milliseconds. */
const maxStopMs = 10_000

/** How long after the start the route table is checked in development, in milliseconds. */
const checkRoutesAfterMs = 1000

/** Makes an application. Rejects with an error that names the setting, option, route or plugin that cannot be used. */
export async function createApp(options: AppOptions): Promise<App> {
  checkAppOptions(options)
  const { maxBodyBytes = 1024 * 1024, maxHeaderBytes = 16_384 } = options
  const settings = options.context ?? loadProcessContext().context
  const cookieSigner = await openSigner(options, settings)
  const mostDrainMs = settings.env === 'dev' ? maxDrainMsInDevelopment : Number.POSITIVE_INFINITY
  const drainMs = Math.min(mostDrainMs, options.drainMs ?? 10_000)
  const redactor = new Redactor(options.redact)
  const { sink, closeLog } = openLog(options.log, settings)
  const log = new Logger(new RedactedLog(sink, redactor))
  const closing = new AbortController()
  const wanted = readWanted()
  let opened = false
  const store = lazy(async () => {
    // To look at routes must write nothing.
    const kept = wanted?.command === null ? { ...settings, store: 'memory:' } : settings
    const openedStore = await openStore(kept, log)
    opened = true
    return openedStore
  })
  const startsAll = wanted?.command === undefined
  let routes: AnyRoutes | undefined
  let app: App | undefined
  const services: Services = {
    settings,
    startedFor: !startsAll ? 'command' : settings.env === 'test' ? 'test' : 'serve',
    log,
    sink,
    redactor,
    closing: closing.signal,
    plugins: pluginsOf(options, settings),
    openStore: store,
    watchRunning: () => app?.watchRunning() ?? (() => 0),
    profileCommand: async (command, work, begun = () => undefined) => {
      const { commandRecorder = null } = recorder ?? {}
      return commandRecorder === null ? work(log) : commandRecorder.record(command, work, begun)
    },
    routes: () => {
      if (routes === undefined) throw new Error('The routes are known once every plugin has started')
      return routes
    },
  }
  const { plugins } = services
  const recorder = (settings.debug && plugins.find((plugin) => plugin instanceof ProfilerPlugin)) || null

  const started: Plugin[] = []
  const stop = async (): Promise<void> => {
    for (const plugin of started.toReversed()) {
      try {
        // Until then the process lives.
        if (await isLate(Promise.resolve(plugin.stop?.()), maxStopMs))
          throw new Error(`stop() has not ended after ${maxStopMs / 1000} seconds`)
      } catch (thrown) {
        log.write(pluginStopFailed({ plugin: plugin.name, ...describeFailure(thrown) }))
      }
    }
    if (opened) await (await store()).engine.close()
    await closeLog()
  }
  const table: AnyRoutes = new RouteCollection()
  let commands: KnownCommands
  let listeners: ListenerRunner
  let formatOf: ReturnType<typeof errorFormats>
  try {
    const ownCommands = typeof options.commands === 'function' ? options.commands(services) : options.commands
    commands = readCommands([...plugins, { name: applicationName, commands: ownCommands }])
    for (const plugin of startsAll ? plugins : neededBy(wanted.command, plugins, commands)) {
      started.push(plugin)
      await plugin.start?.(services)
    }
    const given = typeof options.routes === 'function' ? options.routes(services) : options.routes
    table.merge(checkedRoutes('createApp()', given))
    routes = new RouteCollection().merge(table)
    for (const plugin of plugins) {
      if (plugin.routes === undefined) continue
      const added = checkedRoutes(`plugin "${plugin.name}"`, plugin.routes)
      table.merge(added)
      if (plugin !== recorder) routes.merge(added)
    }
    checkAccessLogExcept(options.accessLogExcept ?? [], table)
    const ofApplication = plugins.flatMap(checkedListeners)
    listeners = new ListenerRunner(ofApplication, table)
    formatOf = errorFormats(table.areas(), options.errorFormat)
  } catch (error) {
    // Nothing that was started keeps the process alive.
    await stop()
    throw error
  }

  const accessLog = openAccessLog(options, services)
  const errorHandler = new LazyErrorHandler({
    settings,
    redactor,
    log,
    given: options,
    recorder,
    prints: true,
    hasAccessLines: accessLog !== null,
    errorFormat: formatOf,
  })
  const routeCheck = settings.env === 'dev' ? checkLater(routes, log) : undefined

  app = new App({
    context: settings,
    log,
    cookieSigner,
    routes,
    recorder,
    maintenance: plugins.find((plugin) => plugin instanceof MaintenancePlugin) ?? null,
    commands,
    profileCommand: services.profileCommand,
    accessLog,
    storeName: opened ? nameOf(settings, await store()) : storeName(settings.store),
    kernel: new Kernel({
      listeners,
      routeStep: new RouteStep(new UrlMatcher(table), settings.debug ? missFrames : 0),
      errorReply: new ErrorReply([errorHandler, new StaticErrorPage()]),
    }),
    noteError: (thrown, entry, exchange) => errorHandler.note(thrown, entry, exchange),
    createServer: (front) =>
      new NodeServer(front, {
        trustedProxies: new TrustedProxies(settings.trustedProxies),
        maxBodyBytes,
        maxHeaderBytes,
        drainMs,
        explainsRefusals: settings.debug,
      }),
    lingerMs: options.lingerMs ?? (settings.env === 'prod' ? lingerMsInProduction : 0),
    closing,
    end: async () => {
      clearTimeout(routeCheck)
      errorHandler.close()
      await stop()
    },
  })
  return app
}

/** What a command of the application needs: its plugins, those that have nothing to start, and the profiler, which records it. */
function neededBy(command: string | null, plugins: readonly Plugin[], known: KnownCommands): readonly Plugin[] {
  const names = command === null ? [] : ['profiler', ...(known[command]?.plugins ?? [])]
  return plugins.filter(({ name, start }) => start === undefined || names.includes(name))
}

/** The plugins in the order in which they start and run; the application's own listeners come last. */
function pluginsOf({ plugins: given = [], listeners = [] }: AppOptions, settings: RuntimeContext): readonly Plugin[] {
  const plugins = [...given]
  const has = (name: string): boolean => plugins.some((plugin) => plugin.name === name)
  // The lock of the runtime context closes every application (SPEC 6.2).
  if (isMaintenance(settings.lock) && !has('maintenance')) plugins.unshift(maintenance())
  if (settings.debug && !has('profiler')) {
    // A closed application records nothing, so the profiler comes behind maintenance.
    plugins.splice(plugins.findIndex(({ name }) => name === 'maintenance') + 1, 0, profiler())
  }
  plugins.push({ name: applicationName, listeners })
  const names = plugins.map(({ name }) => name)
  const double = names.find((name, index) => names.indexOf(name) !== index)
  if (double !== undefined)
    throw new TypeError(`Two plugins have the name ${JSON.stringify(double)}; allowed: one of each name`)
  return plugins
}

function nameOf({ store }: RuntimeContext, { engine, problem }: OpenedStore): string {
  return problem === null ? engine.name : `${engine.name} (${storeName(store)} cannot be used)`
}

/** `null` without a secret. */
async function openSigner(given: AppOptions, { cookieKeys }: RuntimeContext): Promise<CookieSigner | null> {
  const { cookieSecrets = [] } = given
  const [newest, ...older] = cookieKeys.length > 0 ? cookieKeys : cookieSecrets.map(cookieKey)
  if (newest === undefined) return null
  const { CookieSigner } = await import('../base/http/cookie-signer.ts')
  return new CookieSigner(newest, older)
}

/** Writes a line for each duplicate, shadowed or unreachable route. */
function checkLater(routes: AnyRoutes, log: Log): NodeJS.Timeout {
  const check = (): void => {
    try {
      for (const { kind, message, route, by } of checkRoutes(routes)) {
        log.write(routeProblem({ kind, message, route: route.key, by: by.key }))
      }
    } catch (error) {
      log.write(setupWarning({ warning: `The routes could not be checked: ${String(error)}` }))
    }
  }
  return setTimeout(check, checkRoutesAfterMs).unref()
}

/** In debug the profiler has every request. */
function openAccessLog(
  { accessLog, accessLogExcept: except = [] }: AppOptions,
  { settings: { debug, log }, sink, redactor }: Services,
): AccessLog | null {
  const lines = log.access ?? accessLog ?? 'all'
  return debug || lines === 'off' ? null : new AccessLog({ lines, except, sink, redactor })
}

function openLog(
  given: LogSink | undefined,
  { env, debug, log }: RuntimeContext,
): { readonly sink: LogSink; readonly closeLog: () => Promise<void> } {
  if (given !== undefined) return { sink: given, closeLog: async () => undefined }
  const sink = createProcessLog({
    level: log.level ?? (env === 'test' ? 'warn' : debug ? 'debug' : 'info'),
    // Access lines name the route.
    channelLevels: { ...(debug ? {} : { router: 'warn' as const }), ...log.channels },
    pretty: env === 'dev' && process.stdout.isTTY,
  })
  return { sink, closeLog: () => sink.close() }
}
