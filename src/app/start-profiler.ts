// Puts the profiler together and starts it: recorder, collectors, capture, pages.

import type { BodyRule } from '../http/recording/body-rule.ts'
import { hostname } from 'node:os'
import type { BrowserReports } from '../profiles/browser-reports.ts'
import { Capture } from '../libraries/capture.ts'
import { Traces } from '../observe/outgoing/trace-context.ts'
import { ownVariables } from '../http/config/own-variables.ts'
import { packageVersion } from '../base/own-package.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { isLoopback } from '../http/config/variables.ts'
import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import { ensureDeepTraces, StackFrames } from '../errors/stack-frames.ts'
import { explainerOf } from '../origins/explainer.ts'
import { UnawaitedJson, replyCheck } from '../errors/reply-check.ts'
import { UnhandledErrors, ProcessWarnings } from '../errors/unhandled-errors.ts'
import { recordingGoesOn, recordingPaused } from '../base/log/lines.ts'
import { Measuring } from '../measuring/measuring.ts'
import { editorLinkOf } from '../http/config/editor-link.ts'
import { createProfilePlan } from '../profiles/make-record.ts'
import { Sampler } from '../profiles/sampling/sampler.ts'
import { recorderStatus } from '../profiles/sampling/recorder-status.ts'
import type { RecordingRules } from '../profiles/sampling/recording-rules.ts'
import { HungRequests } from '../capture/open-requests.ts'
import { libraryCollectors } from '../capture/parts.ts'
import { Profiler } from '../profiles/profiler.ts'
import { ProfileWriter } from '../profiles/profile-writer.ts'
import { createToken, Recorder } from '../profiles/recorder.ts'
import { Replays } from '../profiles/replays.ts'
import { RequestFindings } from '../profiles/request-findings.ts'
import { AccessKey } from '../pages/access-key.ts'
import { ProfilerAccess } from '../pages/profiler-access.ts'
import { profilerRoutes, withOtlpRoutes, type ProfilerFront } from './profiler-routes.ts'
import { receivePage, startOtlp } from '../otel/otlp/start-otlp.ts'
import { lockItemReader, toolbarItemReader, type ToolbarItemReader } from '../pages/toolbar/toolbar.ts'
import { PageToolbar } from '../pages/toolbar/page-toolbar.ts'
import { ToolbarListener } from '../pages/toolbar/toolbar-listener.ts'
import { lazy } from '../http/kernel/lazy.ts'
import { withBuiltins, performance } from '../base/timing/builtins.ts'
import type { Services } from './options.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'
import type { ProfilerHost, ProfilerOptions, StartedProfiler } from './profiler-options.ts'
import type { Profile } from '../observe/profile.ts'
import { ranCodeName } from '../observe/ran-code.ts'
import { ProfiledRuns } from '../profiles/runs/profiled-runs.ts'
import { RouterView } from '../profiles/router-view.ts'
import { checkPanelNames } from '../observe/collector.ts'
import type { Engine } from '../stores/engine.ts'
import type { ConfigData } from '../observe/collectors/config.ts'
import { readlinkSync } from 'node:fs'

/** How long closing waits for the queue of profiles, in milliseconds. */
const closeBudgetMs = 3000

/** Calls that errors note in debug, at least. */
const tracedCalls = 30

interface StartInput {
  readonly options: ProfilerOptions
  /** Which requests are recorded and what is kept. */
  readonly rules: RecordingRules
  readonly services: Services
  readonly host: ProfilerHost
}

export async function startProfiler(input: StartInput): Promise<StartedProfiler> {
  const { profilerPath: path, hasOwnParts } = input.host
  const { log } = input.services
  const shared = await openShared(input)
  const { engine, sampler, measuring, profiler, access, key } = shared
  const parts = watchingParts(input, shared)
  const { unhandled, recorders, runs, watching } = parts
  // Another application says itself how long its stacks are.
  if (hasOwnParts) ensureDeepTraces(tracedCalls)
  for (const part of watching) part.start()
  const unwatchPause = engine.pause.watch((pause) => {
    if (pause !== null) log.write(recordingPaused(pause))
    else if (sampler.pause !== null) log.write(recordingGoesOn())
    sampler.pause = pause
  })
  const toolbar = new PageToolbar({
    profilerPath: path,
    items: toolbarItems(shared),
    isTest: input.services.settings.env === 'test',
    // Event streams of pages end with a Fanlight application; they would delay the end of another one.
    reloads: hasOwnParts && process.env[ownVariables.restarts] !== undefined,
  })
  const front = frontOf(input, shared, parts)
  let routes: AnyRoutes | undefined
  return {
    // The first listener sees the response last: the toolbar puts itself into the page as it leaves.
    listeners: [new ToolbarListener(toolbar, access), ...recorders, replyCheck],
    // Another application serves its first request before anybody asks for a page of ours.
    routes: () => (routes ??= withOtlpRoutes(profilerRoutes(front, path), front, path)),
    access,
    entry: `${path}/${key === undefined ? '' : `?${key.printed}`}`,
    profiles: profiler,
    commands: runs,
    routerView: shared.routerView,
    observing: {
      recorders,
      toolbar,
      access,
      noteUncaught: (exchange, thrown) => unhandled.note(exchange, thrown, 'exception'),
      drop: (exchange) => profiler.drop(exchange),
      endNow: (budgetMs) => profiler.endNow(budgetMs),
      flush: (deadlineMs) => profiler.flush(deadlineMs),
    },
    stop: async () => {
      unwatchPause()
      for (const part of watching) if (part !== measuring) part.stop()
      await profiler.close(closeBudgetMs)
      await shared.otlp.close()
      // After the last profile: until then it holds what profiles still ask for.
      measuring.stop()
    },
  }
}

type Shared = Awaited<ReturnType<typeof openShared>>

/** What the parts of a profiler share: its store, who may read it, and what records. */
async function openShared({ options, rules, services, host }: StartInput) {
  const { settings, redactor, log, sink, plugins } = services
  const { env, projectRoot } = settings
  const { engine, problem } = await services.openStore()
  let view: RouterView | undefined
  const routerView = (): RouterView => (view ??= new RouterView(services.routes(), host.routesOf))
  const key = accessKey(settings)
  const access = new ProfilerAccess({
    rules: {
      allowedHosts: settings.allowedHosts,
      hostSetting: `${settings.settingPrefix}ALLOWED_HOSTS`,
      allowedPeers: new TrustedProxies(options.allowedPeers ?? []),
      key,
      needsKey: key !== undefined && settings.profilerKey !== null,
    },
    question: options.access,
    log,
  })
  const measuring = new Measuring({
    maySample: async (asked) => access.admits(asked),
    codeTracer: {
      name: ranCodeName,
      load: lazy(async () => new (await import('../ran/code-tracer.ts')).CodeTracer(projectRoot)),
    },
  })
  const traces = new Traces()
  const sampler = new Sampler({ rules, traces })
  const others = plugins.filter(({ name }) => name !== 'profiler')
  const ofApplication = others.filter(({ name }) => name !== 'maintenance')
  const collectors = [...others.flatMap((plugin) => plugin.collectors ?? []), ...(options.collectors ?? [])]
  const plan = createProfilePlan({
    collectors,
    libraries: libraryCollectors,
    listeners: host.hasOwnParts ? ofApplication.flatMap(({ listeners = [] }) => listeners) : null,
    redactor,
    explainer: { explain: (asked) => routerView().explain(asked), suggest: (asked) => routerView().suggest(asked) },
    config: configFacts(settings, engine, problem, host),
    slowMs: rules.slowMs,
    projectRoot,
    capturesRecipients: options.captureRecipients ?? env !== 'prod',
  })
  const panels = [...others.flatMap((plugin) => plugin.panels ?? []), ...(options.panels ?? [])]
  const dependent = panels.filter((panel) => panel.from === undefined && panel.showsWithout === undefined)
  checkPanelNames(
    dependent.map(({ name }) => name),
    [...plan.names, ...collectors.map(({ name }) => name)],
  )
  const store = engine.profiles
  const otlp = await startOtlp(settings, store, log)
  const writer = new ProfileWriter({ store, assembly: plan, log, cost: sampler.cost, onWritten: otlp.onWritten })
  const newTokenEnding = store.newTokenEnding?.bind(store)
  const replays = new Replays()
  const findings = new RequestFindings(projectRoot)
  const bodies = ruleOf(options.captureBodies, env === 'prod' ? 'none' : 'named')
  const recorder = new Recorder({ redactor, sink, newTokenEnding, bodies })
  const profilerPath = host.profilerPath
  return {
    engine,
    problem,
    routerView,
    key,
    access,
    measuring,
    traces,
    sampler,
    collectors,
    panels,
    lock: others.find(({ lockView }) => lockView !== undefined)?.lockView,
    otlp,
    writer,
    newToken: () => createToken(newTokenEnding?.()),
    replays,
    findings,
    bodies,
    profiler: new Profiler({ sampler, replays, recorder, plan, writer, store, profilerPath, measuring, findings }),
    explain: explainerOf({ redactor, files: new StackFrames(projectRoot).files }),
  }
}

function ruleOf(captures: boolean | undefined, byDefault: BodyRule): BodyRule {
  return captures === undefined ? byDefault : captures ? 'all' : 'none'
}

type Watching = ReturnType<typeof watchingParts>

/** What listens to requests and to the process while the application runs, in the order in which it starts. */
function watchingParts({ options, services: { settings, redactor, log } }: StartInput, shared: Shared) {
  const { projectRoot, mail } = settings
  const { profiler, measuring, findings, traces, explain } = shared
  const unhandled = new UnhandledErrors({
    explain,
    projectRoot,
    redactor,
    isKept: (exchange) => profiler.isKept(exchange),
    keepLate: (part) => profiler.keepLate(part),
  })
  const capture = new Capture({
    redactor,
    projectRoot,
    traces,
    keepThrown: (exchange, thrown) => unhandled.note(exchange, thrown, 'resolver'),
    outgoingBodies: ruleOf(options.captureResponses, shared.bodies),
    capturesMessages: options.captureMessages !== false,
    holdsMail: mail === 'hold',
    ai: options.ai ?? {},
  })
  const hung = new HungRequests({ open: profiler.open, afterMs: options.hungRequestMs ?? 10_000 })
  const recorders = [profiler, measuring, unhandled, capture]
  const runs = new ProfiledRuns({ listeners: recorders, redactor, log, projectRoot, explain })
  const isOwn = unhandled.isOwn.bind(unhandled)
  const [warnings, json] = [new ProcessWarnings(projectRoot, isOwn), new UnawaitedJson(projectRoot, isOwn)]
  const watching = [findings, measuring, unhandled, warnings, json, capture, hung, runs]
  return { unhandled, capture, recorders, runs, watching }
}

/** The pages, and what they show; loaded when somebody asks for the first one. */
function frontOf(input: StartInput, shared: Shared, { capture }: Watching): ProfilerFront {
  const { services, host } = input
  const { settings, redactor, sink } = services
  const { engine, problem, access, lock, newToken, otlp, profiler, routerView, sampler, writer } = shared
  const { env, projectRoot, service, sql, version } = settings
  const keep = (profile: Profile): void => writer.enqueue(profile)
  const receive = otlp.receiver({ redactor, keep, newToken, isBusy: () => writer.isHalfFull })
  let takenReports: BrowserReports | undefined
  const reports = lazy(async () => {
    const { BrowserReports } = await import('../profiles/browser-reports.ts')
    const { explain } = shared
    const tools = { profiles: profiler, keep, redactor, projectRoot, explain, createToken: newToken, version, service }
    return (takenReports = new BrowserReports(tools))
  })
  const status = recorderStatus({
    sampler,
    writer,
    store: engine.profiles,
    storeProblem: problem,
    lostLogLines: () => sink.dropped ?? null,
    versions: [
      ...(version === null ? [] : [['Application', version] as const]),
      ['Fanlight', packageVersion()],
      ['Node', process.versions.node],
    ],
    notes: () => [...host.notes(), ...(takenReports?.notes ?? []), ...[lock?.problem() ?? []].flat()],
    otlp: () => otlp.status,
  })
  const pages = lazy(async () => {
    const { ProfilerController } = await import('./profiler-controller.ts')
    const { builtInPanels } = await import('../analysis/pages/panels.ts')
    const { askSkipped } = await import('../ran/ask-skipped.ts')
    const { databaseReader } = await import('../observe/outgoing/open-databases.ts')
    return new ProfilerController({
      profiles: profiler,
      panels: [...builtInPanels, ...shared.panels],
      routeTable: routerView(),
      askSkipped: env === 'dev' ? async () => askSkipped(projectRoot, redactor) : undefined,
      matchedRoutes: profiler.matchedRoutes,
      plans: capture.plans,
      ...(sql === 'read' && env === 'dev' && { readDatabase: databaseReader(capture.plans.databases, redactor) }),
      browserReports: { take: async (...report) => (await reports()).take(...report) },
      replays: { replays: shared.replays, recordedBy: { service, host: hostname(), servers: host.servers } },
      lock,
      openRequests: profiler.open,
      errorMarks: engine.errorMarks,
      recording: {
        get pause() {
          return sampler.pause
        },
        set: async (pause) => engine.pause.write(pause),
      },
      status,
      projectRoot,
      access,
      profilerPath: host.profilerPath,
      storeProblem: problem,
      settingPrefix: settings.settingPrefix,
      service,
      editor: editorLinkOf(settings),
    })
  })
  return {
    page: async (page, exchange) => withBuiltins(async () => (await pages()).page(page, exchange)),
    serve: async (address, exchange) => withBuiltins(async () => (await pages()).serve(address, exchange)),
    receive: async (signal, exchange) => {
      // Spans that others send are not requests of the application.
      profiler.drop(exchange)
      exchange.recording = undefined
      return receivePage(signal, exchange, { access, receive })
    },
  }
}

function accessKey({ profilerKey, host, settingPrefix }: RuntimeContext): AccessKey | undefined {
  if (profilerKey === 'off' || (profilerKey === null && isLoopback(host))) return undefined
  const own = typeof profilerKey === 'object' && profilerKey !== null ? profilerKey : undefined
  return new AccessKey(own, `${settingPrefix}PROFILER_KEY`)
}

/** Of the panels that say something in the toolbar. */
function toolbarItems({ collectors, panels, lock }: Shared): readonly ToolbarItemReader[] {
  const items = panels.flatMap((panel) => {
    const collector = collectors.find(({ name }) => name === panel.name)
    return panel.toolbar === undefined || collector === undefined ? [] : [toolbarItemReader(panel, collector)]
  })
  return [...items, ...(lock === undefined ? [] : [lockItemReader(lock)])]
}

export function configFacts(
  context: RuntimeContext,
  engine: Engine,
  problem: string | null,
  { hasOwnParts }: ProfilerHost,
): ConfigData {
  return {
    version: context.version,
    service: context.service,
    fanlight: packageVersion(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    environment: context.env,
    debug: context.debug,
    lock: hasOwnParts ? context.lock : null,
    store: engine.name,
    storeProblem: problem,
    timeZone: systemTimeZone(process.env),
    locale: systemLocale(),
    host: hostname(),
    processId: process.pid,
    startedAt: Math.round(performance.timeOrigin),
  }
}

/** Language tag of the system: `en-US`. */
export function systemLocale(): string {
  return new Intl.PluralRules().resolvedOptions().locale
}

/** Time zone by its name: `Europe/Berlin`, `UTC`. `link` points to the zone of the system. */
export function systemTimeZone(env: Readonly<Record<string, string | undefined>>, link = '/etc/localtime'): string {
  const name = env['TZ'] === undefined ? linkedZone(link) : env['TZ']
  if (/^(?:Etc\/)?UTC$/.test(name)) return 'UTC'
  return /^[A-Z][A-Za-z]+(?:\/[A-Z][\w+-]+)+$/.test(name) ? name : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** `/usr/share/zoneinfo/Europe/Berlin` → `Europe/Berlin`; empty if unknown. */
function linkedZone(link: string): string {
  try {
    return readlinkSync(link).split('/zoneinfo/')[1] ?? ''
  } catch {
    return ''
  }
}
