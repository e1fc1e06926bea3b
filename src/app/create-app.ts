// Makes an application: resolves the options, starts the plugins in order, and puts the kernel in front of them.

import { clearTimeout, setTimeout, withBuiltins } from '../base/timing/builtins.ts'
import { StaticErrorPage } from '../errors/public-response.ts'
import { cookieKey, cookieSecretsRule } from '../http/config/cookie-secrets.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import type { CookieSigner } from '../base/http/cookie-signer.ts'
import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { errorFormats, checkErrorFormat } from '../http/kernel/handler-options.ts'
import { ErrorReply, type ErrorResponder } from '../http/kernel/error-reply.ts'
import { Kernel } from '../http/kernel/kernel.ts'
import { ListenerRunner, type Listener, checkListener, listenerMoments } from '../http/kernel/listener.ts'
import { RouteStep } from '../http/kernel/route-step.ts'
import { pluginStopFailed, routeProblem, setupWarning } from '../base/log/lines.ts'
import { Logger, type Log, type LogSink, RedactedLog } from '../base/log/logger.ts'
import { createProcessLog } from '../base/log/process-log.ts'
import { NodeServer } from '../http/node/server.ts'
import { Redactor } from '../base/redact/redactor.ts'
import { RouteCollection, type AnyRoutes } from '../routing/route-collection.ts'
import { checkRoutes } from '../routing/route-health.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'
import { isMaintenance } from '../stores/lock/closure.ts'
import { maintenance, MaintenancePlugin } from './plugins/maintenance.ts'
import { profiler, ProfilerPlugin } from './plugins/profiler.ts'
import { AccessLog, checkAccessLogExcept } from './access-log.ts'
import { App } from './app.ts'
import { readWanted, loadProcessContext } from './process-context.ts'
import { readCommands, type KnownCommands } from '../http/kernel/commands.ts'
import { lazy } from '../http/kernel/lazy.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { openStore, type OpenedStore, storeName } from './open-engine.ts'
import type { AppOptions, Plugin, Services } from './options.ts'
import { allowedAccessLines } from '../http/config/variables.ts'
import {
  action,
  checkOptions,
  describe,
  isRecord,
  listOf,
  wholeNumberRule,
  type OptionRule,
  nearestName,
} from '../base/options/check-options.ts'
import { hasName, type Awaitable } from '../base/members.ts'
import type { ErrorHandler } from '../errors/error-handler.ts'
import type { Reply } from '../base/http/reply.ts'
import { runOutsideExchanges } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { loadingCategory } from '../base/timing/stopwatch.ts'
import type { ErrorHandlerInput } from './debug-error-tools.ts'

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

/** Name of the plugin that has what `createApp` is given directly. */
export const applicationName = 'application'

const example = "createApp({ routes: new RouteCollection().get('home', '/', handler) })"

const object: OptionRule = { allowed: 'an object', fits: isRecord }
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const anything: OptionRule = { allowed: 'anything', fits: () => true }

/** Throws a TypeError that names the option, plugin or listener, and how it is written. */
export function checkAppOptions(options: unknown): asserts options is AppOptions {
  if (options instanceof RouteCollection)
    throw new TypeError('createApp() takes the routes as an option: createApp({ routes })')
  checkOptions<AppOptions>('createApp()', options, {
    routes: {
      allowed: `a RouteCollection, or a function that gives one: ${example}`,
      fits: (value) => value instanceof RouteCollection || typeof value === 'function',
    },
    plugins: listOf('a list of plugins', () => true),
    context: object,
    listeners: listOf('a list of listeners', () => true),
    commands: {
      allowed: 'a record of functions, or a function that gives one',
      fits: (value) => isRecord(value) || typeof value === 'function',
    },
    errorPage: action,
    // Checked below, and those of groups too.
    errorFormat: anything,
    hints: listOf('a list of hint rules', isRecord),
    cookieSecrets: cookieSecretsRule,
    redact: object,
    log: object,
    accessLog: {
      allowed: allowedAccessLines,
      fits: (value) =>
        value === 'all' ||
        value === 'errors' ||
        value === 'off' ||
        (typeof value === 'number' && value >= 0 && value <= 1),
    },
    accessLogExcept: listOf("a list of paths and names of routes: ['/health/*', 'ready']", isText),
    maxBodyBytes: wholeNumberRule,
    maxHeaderBytes: wholeNumberRule,
    drainMs: wholeNumberRule,
    lingerMs: wholeNumberRule,
  })
  if (options.routes === undefined) throw new TypeError(`createApp() needs the option routes: ${example}`)
  checkErrorFormat('errorFormat of createApp()', options.errorFormat)
  for (const [index, plugin] of (options.plugins ?? []).entries())
    checkPlugin(`plugins[${index}] of createApp()`, plugin)
}

/** The listeners of a plugin. Throws a TypeError for what is not a listener. */
export function checkedListeners({ name, listeners = [] }: Plugin): readonly Listener[] {
  const owner = name === applicationName ? 'createApp()' : `plugin "${name}"`
  for (const [index, listener] of listeners.entries()) checkListener(`listeners[${index}] of ${owner}`, listener)
  return listeners
}

/** The route table that `owner` gave. Throws a TypeError for anything else. */
export function checkedRoutes(owner: string, given: unknown): AnyRoutes {
  if (given instanceof RouteCollection) return given
  const what =
    given instanceof Promise ? 'a promise; make the routes at once, and wait in the start of a plugin' : describe(given)
  throw new TypeError(`The routes of ${owner} are ${what}; allowed: a RouteCollection`)
}

/** Members that a plugin has as a plain value: one may be made when the plugin starts. */
const pluginRules: Readonly<Record<keyof Plugin, OptionRule>> = {
  name: { allowed: 'a name', fits: (value) => typeof value === 'string' && value !== '' },
  listeners: listOf('a list of listeners', () => true),
  routes: { allowed: 'a RouteCollection', fits: (value) => value instanceof RouteCollection },
  collectors: listOf('a list of collectors', isRecord),
  panels: listOf('a list of panels', isRecord),
  lockView: object,
  commands: object,
  start: action,
  stop: action,
}

function checkPlugin(place: string, plugin: unknown): void {
  if (typeof plugin === 'function') {
    throw new TypeError(`${place} is a function; call it: plugins: [${plugin.name === '' ? 'plugin' : plugin.name}()]`)
  }
  if (!isRecord(plugin))
    throw new TypeError(
      `${place} is ${describe(plugin)}; allowed: an object with a name, such as { name: 'mail', start() {} }`,
    )
  const names = Object.keys(pluginRules)
  const isPlain = Object.getPrototypeOf(plugin) === Object.prototype
  if (isPlain && !('name' in plugin))
    throw new TypeError(`${place} has no name; a plugin is an object such as { name: 'mail', start() {} }`)
  for (const [member, { value }] of Object.entries(Object.getOwnPropertyDescriptors(plugin))) {
    if (value === undefined) continue
    if (hasName(pluginRules, member)) {
      const rule = pluginRules[member]
      if (!rule.fits(value))
        throw new TypeError(`"${member}" of ${place} is ${describe(value)}; allowed: ${rule.allowed}`)
    } else if (typeof value === 'function' && listenerMoments.has(member)) {
      throw new TypeError(
        `"${member}" of ${place} belongs to a listener: listeners: [{ name, ${member}(exchange) {} }]`,
      )
    } else if (isPlain) {
      // A plugin may have further members, such as functions that others call.
      const near = nearestName(member, names)
      if (near !== null) throw new TypeError(`"${member}" of ${place} is unknown. Did you mean "${near}"?`)
    }
  }
}

/** How long after the start it is loaded if no error needs it before, in milliseconds: the first request comes at once, after a restart. */
const loadAfterMs = 1000

export class LazyErrorHandler implements ErrorResponder {
  readonly name = 'error handler'
  readonly #load: () => Promise<ErrorHandler>
  readonly #timer: NodeJS.Timeout
  /** Outside debug, once it is loaded: nothing is measured there that its work could change. */
  #loaded: ErrorHandler | undefined
  #hasResponded = false

  constructor(input: ErrorHandlerInput) {
    this.#load = lazy(async () => {
      const { loadErrorHandler } = await import('./load-error-handler.ts')
      const { handler } = await loadErrorHandler(input)
      if (!input.settings.debug) this.#loaded = handler
      return handler
    })
    // A load that fails here fails again with the first error, where it shows.
    this.#timer = setTimeout(() => void this.#load().catch(() => undefined), loadAfterMs).unref()
  }

  respond(exchange: Exchange, statusCode: number): Awaitable<Reply> {
    return this.#loaded?.respond(exchange, statusCode) ?? this.#respondFirst(exchange, statusCode)
  }

  async #respondFirst(exchange: Exchange, statusCode: number): Promise<Reply> {
    const respond = async (): Promise<Reply> =>
      withBuiltins(async () => (await runOutsideExchanges(this.#load)).respond(exchange, statusCode))
    if (this.#hasResponded) return respond()
    // Loading and first use are slow, and not the request's own doing: its timeline shows them as a span.
    const recording = exchange.parent?.recording ?? exchange.recording
    const span = recording?.startSpan({ name: `first use of the ${this.name}`, category: loadingCategory })
    try {
      const reply = await respond()
      this.#hasResponded = true
      return reply
    } finally {
      span?.end()
    }
  }

  async noteHandled(exchange: Exchange, statusCode: number): Promise<void> {
    await withBuiltins(async () => (await this.#load()).noteHandled(exchange, statusCode))
  }

  async note(...noted: Parameters<ErrorHandler['note']>): Promise<void> {
    await withBuiltins(async () => (await this.#load()).note(...noted))
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
