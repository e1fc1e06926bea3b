// Puts the profiler together and starts it: recorder, collectors, capture, pages.

import { hostname } from 'node:os'
import type { BrowserReports } from '../profiles/browser-reports.ts'
import { Capture } from '../libraries/capture.ts'
import { Traces } from '../observe/capture/trace-context.ts'
import { ownVariables } from '../http/config/own-variables.ts'
import { packageVersion } from '../base/own-package.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { isLoopback } from '../http/config/variables.ts'
import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import { ensureDeepTraces, StackFrames } from '../errors/stack-frames.ts'
import { explainerOf } from '../origins/explainer.ts'
import { UnawaitedJson, replyCheck } from '../errors/reply-check.ts'
import { UnhandledErrors, ProcessWarnings } from '../errors/unhandled-errors.ts'
import { recordingGoesOn, recordingPaused } from '../base/log/profiler-lines.ts'
import { Measuring } from '../observe/measuring/measuring.ts'
import { editorLinkOf } from '../http/config/editor-link.ts'
import { createProfilePlan } from '../profiles/make-record.ts'
import { Sampler } from '../profiles/sampling/sampler.ts'
import { recorderStatus } from '../profiles/sampling/recorder-status.ts'
import type { RecordingRules } from '../profiles/sampling/recording-rules.ts'
import { HungRequests, openRequestsOf } from '../observe/open-requests/open-requests.ts'
import { Profiler } from '../profiles/profiler.ts'
import { ProfileWriter } from '../profiles/profile-writer.ts'
import { createToken, Recorder } from '../profiles/recorder.ts'
import { Replays } from '../profiles/replays.ts'
import { RequestFindings } from '../profiles/request-findings.ts'
import { AccessKey } from '../pages/access-key.ts'
import { ProfilerAccess } from '../pages/profiler-access.ts'
import { profilerRoutes, withOtlpRoutes, type ProfilerFront } from './profiler-routes.ts'
import { receivePage } from '../otel/receive-page.ts'
import { lockItemReader, toolbarItemReader, type ToolbarItemReader } from '../pages/toolbar/toolbar.ts'
import { PageToolbar } from '../pages/toolbar/page-toolbar.ts'
import { ToolbarListener } from '../pages/toolbar/toolbar-listener.ts'
import { lazy } from '../http/kernel/lazy.ts'
import { withBuiltins, performance } from '../base/timing/builtins.ts'
import { startOtlp } from '../otel/otlp/start-otlp.ts'
import type { AnyRoutes, Plugin, Services } from '../http/plugins/plugin.ts'
import type { ProfilerHost, ProfilerOptions, StartedProfiler } from './profiler-options.ts'
import { ProfiledRuns } from '../profiles/runs/profiled-runs.ts'
import { RouterView } from '../profiles/router-view.ts'
import type { Engine } from '../profiles/stores/engine.ts'
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

export async function startProfiler({ options, rules, services, host }: StartInput): Promise<StartedProfiler> {
  const { profilerPath: path } = host
  const { settings, redactor, log, sink, plugins } = services
  const { engine, problem } = await services.openStore()
  let view: RouterView | undefined
  const routerView = (): RouterView => (view ??= new RouterView(services.routes(), host.routesOf))
  const key = accessKey(settings)
  const access = new ProfilerAccess({
    rules: {
      allowedHosts: settings.allowedHosts,
      allowedPeers: new TrustedProxies(options.allowedPeers ?? []),
      key,
      needsKey: key !== undefined && settings.profilerKey !== null,
    },
    question: options.access,
    log,
  })
  const measuring = new Measuring({
    maySample: async (asked) => access.admits(asked),
    projectRoot: settings.projectRoot,
  })
  const traces = new Traces()
  const sampler = new Sampler({ rules, traces })
  const others = plugins.filter(({ name }) => name !== 'profiler')
  const lock = others.find(({ lockView }) => lockView !== undefined)?.lockView
  const ofApplication = others.filter(({ name }) => name !== 'maintenance')
  const plan = createProfilePlan({
    collectors: [...others.flatMap(({ collectors = [] }) => collectors), ...(options.collectors ?? [])],
    listeners: host.hasOwnParts ? ofApplication.flatMap(({ listeners = [] }) => listeners) : null,
    redactor,
    explainer: { explain: (asked) => routerView().explain(asked), suggest: (asked) => routerView().suggest(asked) },
    config: configFacts(settings, engine, problem, host),
    slowMs: rules.slowMs,
    projectRoot: settings.projectRoot,
    capturesRecipients: options.captureRecipients ?? settings.env !== 'prod',
  })
  const otlp = await startOtlp(settings, engine.profiles, log)
  const writer = new ProfileWriter({
    store: engine.profiles,
    assembly: plan,
    log,
    cost: sampler.cost,
    onWritten: otlp.onWritten,
  })
  const newToken = (): string => createToken(engine.profiles.newTokenEnding?.())
  const receive = otlp.receiver({
    redactor,
    keep: (profile) => writer.enqueue(profile),
    newToken,
    isBusy: () => writer.isHalfFull,
  })
  const replays = new Replays()
  const findings = new RequestFindings(settings.projectRoot)
  const profiler = new Profiler({
    sampler,
    replays,
    recorder: new Recorder({ redactor, sink, newTokenEnding: engine.profiles.newTokenEnding?.bind(engine.profiles) }),
    plan,
    writer,
    store: engine.profiles,
    profilerPath: path,
    measuring,
    findings,
  })
  const explain = explainerOf({ redactor, files: new StackFrames(settings.projectRoot).files })
  const unhandled = new UnhandledErrors({
    explain,
    projectRoot: settings.projectRoot,
    redactor,
    isKept: (exchange) => profiler.isKept(exchange),
    keepLate: (part) => profiler.keepLate(part),
  })
  const warnings = new ProcessWarnings(settings.projectRoot)
  const capture = new Capture({
    redactor,
    projectRoot: settings.projectRoot,
    traces,
    keepThrown: (exchange, thrown) => unhandled.note(exchange, thrown, 'resolver'),
    capturesResponses: options.captureResponses === true,
    capturesMessages: options.captureMessages !== false,
    holdsMail: settings.mail === 'hold',
    ai: options.ai ?? {},
  })
  const hungRequestMs = options.hungRequestMs ?? 10_000
  const hung = new HungRequests({ open: profiler.open, redactor, afterMs: hungRequestMs })
  const toolbar = new PageToolbar({
    profilerPath: path,
    items: [...toolbarItems(others, options), ...(lock === undefined ? [] : [lockItemReader(lock)])],
    isTest: settings.env === 'test',
    // Event streams of pages end with a Fanlight application; they would delay the end of another one.
    reloads: host.hasOwnParts && process.env[ownVariables.restarts] !== undefined,
  })
  const recorders = [profiler, measuring, unhandled, capture]
  const { projectRoot } = settings
  const runs = new ProfiledRuns({ listeners: recorders, redactor, log, projectRoot, explain })
  // Another application says itself how long its stacks are.
  if (host.hasOwnParts) ensureDeepTraces(tracedCalls)
  const running = [findings, measuring, unhandled, warnings, new UnawaitedJson(projectRoot), capture, hung, runs]
  for (const part of running) part.start()
  const unwatchPause = engine.pause.watch((pause) => {
    if (pause !== null) log.write(recordingPaused(pause))
    else if (sampler.pause !== null) log.write(recordingGoesOn())
    sampler.pause = pause
  })
  let takenReports: BrowserReports | undefined
  const reports = lazy(async () => {
    const { BrowserReports } = await import('../profiles/browser-reports.ts')
    takenReports = new BrowserReports({
      profiles: profiler,
      keep: (profile) => writer.enqueue(profile),
      redactor,
      projectRoot: settings.projectRoot,
      explain,
      createToken: newToken,
      version: settings.version,
      service: settings.service,
    })
    return takenReports
  })
  const pages = lazy(async () => {
    const { ProfilerController } = await import('./profiler-controller.ts')
    const { builtInPanels } = await import('../pages/panels/all.ts')
    const { askSkipped } = await import('../ran/ask-skipped.ts')
    return new ProfilerController({
      profiles: profiler,
      panels: [...builtInPanels, ...others.flatMap(({ panels = [] }) => panels), ...(options.panels ?? [])],
      routes: routerView(),
      askSkipped: settings.env === 'dev' ? async () => askSkipped(projectRoot, redactor) : undefined,
      matchedRoutes: profiler.matchedRoutes,
      plans: capture.plans,
      browserReports: { take: async (...report) => (await reports()).take(...report) },
      replays: { replays, recordedBy: { service: settings.service, host: hostname() } },
      lock,
      openRequests: openRequestsOf(profiler.open, redactor),
      errorMarks: engine.errorMarks,
      recording: {
        get pause() {
          return sampler.pause
        },
        set: async (pause) => engine.pause.write(pause),
      },
      status: recorderStatus({
        sampler,
        writer,
        store: engine.profiles,
        storeProblem: problem,
        lostLogLines: () => sink.dropped ?? null,
        versions: [
          ...(settings.version === null ? [] : [['Application', settings.version] as const]),
          ['Fanlight', packageVersion()],
          ['Node', process.versions.node],
        ],
        notes: () => [...host.notes(), ...(takenReports?.notes ?? []), ...[lock?.problem() ?? []].flat()],
        otlp: () => otlp.status,
      }),
      projectRoot: settings.projectRoot,
      access,
      profilerPath: path,
      storeProblem: problem,
      settingPrefix: settings.settingPrefix,
      service: settings.service,
      editor: editorLinkOf(settings),
    })
  })
  const front: ProfilerFront = {
    page: async (page, exchange) => withBuiltins(async () => (await pages()).page(page, exchange)),
    serve: async (address, exchange) => withBuiltins(async () => (await pages()).serve(address, exchange)),
    receive: async (signal, exchange) => {
      // Spans that others send are not requests of the application.
      profiler.drop(exchange)
      exchange.recording = undefined
      return receivePage(signal, exchange, { access, receive })
    },
  }
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
    routerView,
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
      for (const part of running) if (part !== measuring) part.stop()
      await profiler.close(closeBudgetMs)
      await otlp.close()
      // After the last profile: until then it holds what profiles still ask for.
      measuring.stop()
    },
  }
}

function accessKey({ profilerKey, host, settingPrefix }: RuntimeContext): AccessKey | undefined {
  if (profilerKey === 'off' || (profilerKey === null && isLoopback(host))) return undefined
  const own = typeof profilerKey === 'object' && profilerKey !== null ? profilerKey : undefined
  return new AccessKey(own, `${settingPrefix}PROFILER_KEY`)
}

/** Of the panels of plugins that say something in the toolbar. */
function toolbarItems(
  others: readonly Plugin[],
  { collectors = [], panels = [] }: ProfilerOptions,
): readonly ToolbarItemReader[] {
  const all = [...others.flatMap((plugin) => plugin.collectors ?? []), ...collectors]
  return [...others.flatMap((plugin) => plugin.panels ?? []), ...panels].flatMap((panel) => {
    const collector = all.find(({ name }) => name === panel.name)
    return panel.toolbar === undefined || collector === undefined ? [] : [toolbarItemReader(panel, collector)]
  })
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
