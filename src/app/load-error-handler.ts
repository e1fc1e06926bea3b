// Makes the error handler with all that it shows errors with. Many modules: loaded with the first error, or soon after the start.

import { ErrorHandler, type ErrorTools, type PrintError } from '../errors/error-handler.ts'
import { StackFrames } from '../errors/stack-frames.ts'
import type * as DebugErrorTools from './debug-error-tools.ts'

/** An error handler, and what it shows errors with: `renderer` is `null` outside debug. */
export interface LoadedErrorHandler extends ErrorTools {
  readonly handler: ErrorHandler
  /** Only in debug. */
  readonly print: PrintError | undefined
}

export async function loadErrorHandler(input: DebugErrorTools.ErrorHandlerInput): Promise<LoadedErrorHandler> {
  const needsTools = input.recorder !== null || input.settings.errorFiles !== null
  return makeErrorHandler(input, needsTools ? await import('./debug-error-tools.ts') : null)
}

/** The same at once, with the tools that debug and files of errors need. */
export function makeErrorHandler(
  input: DebugErrorTools.ErrorHandlerInput,
  tools: typeof DebugErrorTools | null,
): LoadedErrorHandler {
  const { settings, redactor, log, given, recorder, hasAccessLines = false } = input
  const frames = new StackFrames(settings.projectRoot, { maskText: (text) => redactor.text(text) })
  const debug = recorder === null ? undefined : tools?.createDebugTools(input, frames.files, recorder)
  const prints = input.prints && settings.env === 'dev' && process.stderr.isTTY
  const handler = new ErrorHandler({
    redactor,
    log,
    frames: () => frames,
    hasAccessLines,
    ...(recorder === null || debug === undefined
      ? { debugRenderer: null }
      : {
          debugRenderer: async (request) => ((await recorder.showsErrors(request)) ? debug.renderer : null),
          explain: debug.explain,
        }),
    errorFormat: input.errorFormat,
    files: tools?.createErrorFiles(input),
    print: prints ? debug?.print : undefined,
    ...(given.errorPage === undefined ? {} : { errorPage: given.errorPage }),
  })
  return { handler, frames, renderer: debug?.renderer ?? null, print: debug?.print }
}
