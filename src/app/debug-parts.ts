// Everything that exists in debug only: recorder, collectors, panels, profiler routes, the full error page. Outside debug
// none of it is made.

import { performance } from 'node:perf_hooks'
import { Capture } from '../profiler/capture/capture.ts'
import { packageVersion } from '../framework/config/own-package.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { systemLocale, systemTimeZone } from '../framework/config/system-locale.ts'
import type { Engine } from '../stores/engine.ts'
import { TrustedProxies } from '../framework/http/trusted-proxies.ts'
import { ensureDeepTraces } from '../errors/stack-lines.ts'
import type { DebugRenderer } from '../errors/error-handler.ts'
import { LostRejections } from '../errors/lost-rejections.ts'
import { ProcessWarnings } from '../errors/process-warnings.ts'
import { replyCheck } from '../errors/reply-check.ts'
import { andThen } from '../framework/kernel/awaitable.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import type { Log, LogSink } from '../framework/log/logger.ts'
import { Measuring } from '../profiler/measuring/measuring.ts'
import { createEditorLink } from '../errors/page/editor-link.ts'
import type { EditorLink } from '../errors/page/frame-item.ts'
import type { ConfigData } from '../profiler/collectors/config.ts'
import { FinishedRequest } from '../profiler/finished-request.ts'
import { hasNPlusOne } from '../profiler/keeping/has-n-plus-one.ts'
import { Keeping } from '../profiler/keeping/keeping.ts'
import { recorderStatus } from '../profiler/keeping/recorder-status.ts'
import type { RecordingRules } from '../profiler/keeping/recording-rules.ts'
import { bodyKeeper } from '../profiler/body-keeper.ts'
import { HungRequests } from '../profiler/open-requests/hung-requests.ts'
import { openRequestsOf } from '../profiler/open-requests/open-requests.ts'
import type { ProfileReader } from '../profiler/profile-reader.ts'
import { Profiler } from '../profiler/profiler.ts'
import { ProfileWriter } from '../profiler/profile-writer.ts'
import { Recorder } from '../profiler/recorder.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { ProfilerAccess } from '../profiler/web/profiler-access.ts'
import { profilerRoutes } from '../profiler/web/profiler-routes.ts'
import { ToolbarListener } from '../profiler/web/toolbar/toolbar-listener.ts'
import { createAssemblyPlan } from './assembly-plan.ts'
import type { CommandRecorder } from './commands.ts'
import type { AnyRoutes, ResolvedOptions } from './options.ts'
import { LazyProfilerPages } from './lazy-profiler-pages.ts'
import { ProfiledCommands } from './profiled-commands.ts'
import { recorderLimits } from './recorder-limits.ts'
import { RouterView } from './router-view.ts'

/** Where profiles are shown. */
const profilerPath = '/_profiler'

/** How long closing waits for the queue of profiles, in milliseconds. */
const closeBudgetMs = 3000

/** Calls that errors note in debug, at least. */
const tracedCalls = 30

/** What the debug parts are made from. */
export interface DebugInput {
  readonly context: RuntimeContext
  readonly options: ResolvedOptions
  /** Which requests are recorded and what is kept. */
  readonly recording: RecordingRules
  readonly engine: Engine
  /** Why the store is not the one asked for, or `null`. */
  readonly problem: string | null
  readonly redactor: Redactor
  readonly sink: LogSink
  readonly log: Log
  /** A copy of the application's routes; the profiler's are added. */
  readonly routes: AnyRoutes
  /** The application's routes alone, as error page and profiler show them. */
  readonly own: AnyRoutes
}

/** What debug adds to an application. */
export interface DebugParts {
  readonly profilerPath: string
  readonly listeners: readonly Listener[]
  /** Comes after the application's own listeners: sees answers as they leave. */
  readonly lastListener: Listener
  readonly profiles: ProfileReader
  /** Records runs of commands. */
  readonly commands: CommandRecorder
  /** Loads what the error handler shows in debug only. */
  readonly errorRenderer: () => Promise<DebugRenderer>
  /** Ends answers that would not end by themselves. */
  readonly beginClose: () => void
  readonly close: () => Promise<void>
}

/** Makes them, and adds the profiler's routes to the table. */
export function createDebugParts(input: DebugInput): DebugParts {
  const { context, options, recording, engine, problem, redactor, sink, log, routes, own } = input
  const routerView = new RouterView(own)
  const editor = editorOf(context)
  const access = new ProfilerAccess({
    rules: { allowedHosts: context.allowedHosts, allowedPeers: new TrustedProxies(options.allowedPeers) },
    question: options.access,
    log,
  })
  const measuring = new Measuring({
    maySample: (asked) => andThen(access.refusal(asked), (reason) => reason === null),
  })
  measuring.start()
  const keeping = new Keeping({ rules: recording, log, hasNPlusOne })
  const writer = new ProfileWriter({ store: engine.profiles, log, cost: keeping.cost })
  const plan = createAssemblyPlan({
    options,
    redactor,
    explainer: routerView,
    config: configFacts(context, engine, problem),
    slowMs: recording.keep.slowMs,
    projectRoot: context.projectRoot,
  })
  const profiler = new Profiler({
    keeping,
    recorder: new Recorder({ redactor, sink }),
    plan,
    writer,
    store: engine.profiles,
    profilerPath,
    holdBack: (exchange) => measuring.end(exchange),
  })
  const lost = new LostRejections({
    projectRoot: context.projectRoot,
    redactor,
    keepLate: (part) => {
      if (part.recording !== undefined) writer.enqueue(new FinishedRequest(part, part.recording, plan))
    },
  })
  lost.start()
  const warnings = new ProcessWarnings(context.projectRoot)
  warnings.start()
  ensureDeepTraces(tracedCalls)
  const capture = new Capture({ redactor, projectRoot: context.projectRoot })
  capture.start()
  keeping.start()
  const hung = new HungRequests({ open: profiler.open, redactor, afterMs: options.hungRequestMs })
  hung.start()
  const pages = {
    profiles: profiler,
    routes: routerView,
    openRequests: openRequestsOf(profiler.open, redactor),
    status: recorderStatus({
      keeping,
      writer,
      store: engine.profiles,
      storeProblem: problem,
      lostLogLines: () => sink.dropped ?? null,
      versions: [
        ...(context.version === null ? [] : [['Application', context.version] as const]),
        ['Fanlight', packageVersion()],
        ['Node', process.versions.node],
      ],
      limits: () => recorderLimits(context),
    }),
    projectRoot: context.projectRoot,
    access,
    profilerPath,
    storeProblem: problem,
  }
  const controller = new LazyProfilerPages(async () => {
    const { makeProfilerPages } = await import('./profiler-pages.ts')
    return makeProfilerPages(pages, options.panels, editor)
  })
  routes.merge(profilerRoutes(controller, profilerPath))
  return {
    profilerPath,
    // What the profiler adds to an answer needs no check.
    listeners: [bodyKeeper(redactor), replyCheck, profiler, measuring, lost, capture],
    lastListener: new ToolbarListener({ profilerPath, access }),
    profiles: profiler,
    commands: new ProfiledCommands({
      listeners: [profiler, measuring, lost, capture],
      redactor,
      log,
      projectRoot: context.projectRoot,
    }),
    errorRenderer: async () => {
      const { debugErrorRenderer } = await import('./debug-error-renderer.ts')
      return debugErrorRenderer({ context, redactor, profilerPath, hints: options.hints, editor, routerView })
    },
    beginClose: () => controller.close(),
    close: async () => {
      hung.stop()
      warnings.stop()
      lost.stop()
      keeping.stop()
      capture.stop()
      await profiler.close(closeBudgetMs)
      // Later than the last profile: it forgets what a profile that waits has not been told yet.
      measuring.stop()
    },
  }
}

function configFacts(context: RuntimeContext, engine: Engine, problem: string | null): ConfigData {
  return {
    version: context.version,
    fanlight: packageVersion(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    environment: context.env,
    debug: context.debug,
    lock: context.lock,
    currency: context.currency,
    store: engine.name,
    storeProblem: problem,
    timeZone: systemTimeZone(process.env),
    locale: systemLocale(),
    processId: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    limits: [
      ['Log lines of a request', '500'],
      ['Spans of a request', '1,000'],
      ['Profile', '256 KB'],
      ['Profiles waiting to be written', '1,000'],
    ],
  }
}

function editorOf({ editor, pathMap, projectRoot }: RuntimeContext): EditorLink | undefined {
  return editor === null ? undefined : createEditorLink({ editor, projectRoot, pathMap: new Map(pathMap) })
}
