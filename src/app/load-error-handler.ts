// Makes the error handler with all that it shows errors with. Many modules: loaded with the first error, or soon after the start.

import path from 'node:path'
import type { DebugRendererOptions } from '../errors/debug-renderer.ts'
import type { DebugRenderer, ErrorHandler, ErrorHandlerOptions, ErrorTools } from '../errors/error-handler.ts'
import type { ExplainerOptions } from '../errors/origins/explain-error.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { Log } from '../framework/log/logger.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { ProfilerPlugin } from '../profiler/plugin.ts'
import type { AppOptions } from './options.ts'

export interface ErrorHandlerInput {
  readonly settings: RuntimeContext
  readonly redactor: Redactor
  readonly log: Log
  readonly given: Pick<AppOptions, 'errorPage' | 'hints'>
  /** The format of the response to a failed request. Default: `Accept` decides. */
  readonly errorFormat?: ErrorHandlerOptions['errorFormat']
  /** Decides who sees errors in full, links them to profiles and explains routing; `null` outside debug. */
  readonly recorder: ProfilerPlugin | null
  /** Whether errors are printed on a terminal, too. */
  readonly prints: boolean
}

/** An error handler, and what it shows errors with: `renderer` is `null` outside debug. */
export interface LoadedErrorHandler extends ErrorTools {
  readonly handler: ErrorHandler
}

export async function loadErrorHandler(input: ErrorHandlerInput): Promise<LoadedErrorHandler> {
  const { settings, redactor, log, given, recorder } = input
  const { ErrorHandler } = await import('../errors/error-handler.ts')
  const { StackFrames } = await import('../errors/stack-frames.ts')
  const frames = new StackFrames(settings.projectRoot, { maskText: (text) => redactor.text(text) })
  const debug = recorder === null ? null : await loadDebugParts(input, { redactor, files: frames.files }, recorder)
  const handler = new ErrorHandler({
    redactor,
    log,
    frames: () => frames,
    ...(recorder === null || debug === null
      ? { debugRenderer: null }
      : {
          debugRenderer: async (request) => ((await recorder.showsErrors(request)) ? debug.renderer : null),
          explain: debug.explain,
        }),
    errorFormat: input.errorFormat,
    files: await loadErrorFiles(input),
    ...(given.errorPage === undefined ? {} : { errorPage: given.errorPage }),
  })
  return { handler, frames, renderer: debug?.renderer ?? null }
}

/** Outside debug the pages have no source. */
async function loadErrorFiles({ settings, redactor, log }: ErrorHandlerInput): Promise<ErrorHandlerOptions['files']> {
  const { errorFiles, projectRoot } = settings
  if (errorFiles === null) return undefined
  const { ErrorFiles } = await import('../errors/error-files.ts')
  const { createDebugRenderer } = await import('../errors/debug-renderer.ts')
  const renderer = createDebugRenderer({ redactor, profilerPath: null })
  return new ErrorFiles({ folder: path.resolve(projectRoot, errorFiles), renderer, log })
}

async function loadDebugParts(
  { settings, given: { hints = [] }, prints }: ErrorHandlerInput,
  shared: Omit<ExplainerOptions, 'hints'> & { readonly redactor: Redactor },
  recorder: ProfilerPlugin,
): Promise<{ readonly renderer: DebugRenderer } & Pick<ErrorHandlerOptions, 'explain'>> {
  const { createDebugRenderer } = await import('../errors/debug-renderer.ts')
  const { renderErrorTerminal } = await import('../errors/terminal-renderer.ts')
  const { editorLinkOf } = await import('../errors/page/editor-link.ts')
  const { builtInHints } = await import('../errors/hints/index.ts')
  const { createExplainer } = await import('../errors/origins/explain-error.ts')
  const { path: profilerPath, routerView } = recorder
  const { env, projectRoot } = settings
  const print: DebugRendererOptions['print'] = (view) =>
    void process.stderr.write(renderErrorTerminal(view, { colors: true, links: true, projectRoot }))
  return {
    renderer: createDebugRenderer({
      redactor: shared.redactor,
      profilerPath,
      editor: editorLinkOf(settings),
      suggest: (request) => routerView.suggest(request),
      attempts: (request) => routerView.attempts(request),
      ...(prints && env === 'dev' && process.stderr.isTTY ? { print } : {}),
    }),
    explain: createExplainer({
      ...shared,
      hints: [...hints, ...builtInHints],
      nearRoutes: (request) => routerView.suggest(request),
    }),
  }
}
