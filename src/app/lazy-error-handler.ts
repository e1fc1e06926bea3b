// The error handler, loaded with the first error or soon after the start: drawing errors takes many modules, and no start waits for them.

import type { ErrorHandler, ErrorHandlerOptions } from '../errors/error-handler.ts'
import type { ExplainerOptions } from '../errors/origins/explain-error.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { Reply } from '../framework/http/reply.ts'
import { runOutsideExchanges } from '../framework/kernel/current-exchange.ts'
import type { ErrorResponder } from '../framework/kernel/error-reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Log } from '../framework/log/logger.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { loadingCategory } from '../framework/timing/span.ts'
import type { ProfilerPlugin } from '../profiler/plugin.ts'
import { lazy } from '../framework/kernel/lazy.ts'
import type { AppOptions } from './options.ts'

/** How long after the start it is loaded outside debug if no error needs it before, in milliseconds; in debug at once. */
const loadAfterMs = 1000

export interface ErrorHandlerInput {
  readonly settings: RuntimeContext
  readonly redactor: Redactor
  readonly log: Log
  readonly given: Pick<AppOptions, 'errorPage' | 'hints'>
  /** Decides who sees errors in full, links them to profiles and explains routing; `null` outside debug. */
  readonly recorder: ProfilerPlugin | null
}

/** Passes every error on to the error handler. */
export class LazyErrorHandler implements ErrorResponder {
  readonly name = 'error handler'
  readonly #load: () => Promise<ErrorHandler>
  readonly #timer: NodeJS.Timeout
  #loaded: ErrorHandler | undefined
  #hasResponded = false

  constructor(input: ErrorHandlerInput) {
    this.#load = lazy(async () => {
      this.#loaded = await loadErrorHandler(input)
      return this.#loaded
    })
    // A load that fails here fails again with the first error, where it shows.
    const afterMs = input.settings.debug ? 0 : loadAfterMs
    this.#timer = setTimeout(() => void this.#load().catch(() => undefined), afterMs).unref()
  }

  async respond(exchange: Exchange, statusCode: number): Promise<Reply> {
    const respond = async (): Promise<Reply> => (await this.#load()).respond(exchange, statusCode)
    if (this.#hasResponded) return respond()
    // Loading and first use are slow, and not the request's own doing: its timeline shows them as a span.
    const recording = exchange.parent?.recording ?? exchange.recording
    const span = recording?.startSpan({ name: `first use of the ${this.name}`, category: loadingCategory })
    try {
      const reply = await runOutsideExchanges(respond)
      this.#hasResponded = true
      return reply
    } finally {
      span?.end()
    }
  }

  /** See `ErrorHandler.note`. */
  async note(...noted: Parameters<ErrorHandler['note']>): Promise<void> {
    await (await this.#load()).note(...noted)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#loaded?.close()
  }
}

async function loadErrorHandler({
  settings,
  redactor,
  log,
  given,
  recorder,
}: ErrorHandlerInput): Promise<ErrorHandler> {
  const { ErrorHandler } = await import('../errors/error-handler.ts')
  const { StackFrames } = await import('../errors/stack-frames.ts')
  const frames = new StackFrames(settings.projectRoot, { maskText: (text) => redactor.text(text) })
  return new ErrorHandler({
    redactor,
    log,
    frames: () => frames,
    ...(recorder === null
      ? { debugRenderer: null }
      : await loadDebugParts(settings, { redactor, files: frames.files }, given, recorder)),
    ...(given.errorPage === undefined ? {} : { errorPage: given.errorPage }),
  })
}

async function loadDebugParts(
  settings: RuntimeContext,
  shared: Omit<ExplainerOptions, 'hints'> & { readonly redactor: Redactor },
  { hints = [] }: ErrorHandlerInput['given'],
  recorder: ProfilerPlugin,
): Promise<Pick<ErrorHandlerOptions, 'debugRenderer' | 'explain'>> {
  const { debugErrorRenderer } = await import('./debug-error-renderer.ts')
  const { builtInHints } = await import('../errors/hints/index.ts')
  const { createExplainer } = await import('../errors/origins/explain-error.ts')
  const { path: profilerPath, routerView } = recorder
  const renderer = debugErrorRenderer({ settings, redactor: shared.redactor, profilerPath, routerView })
  return {
    debugRenderer: async (request) => ((await recorder.showsErrors(request)) ? renderer : null),
    explain: createExplainer({
      ...shared,
      hints: [...hints, ...builtInHints],
      nearRoutes: (request) => routerView.suggest(request),
    }),
  }
}
