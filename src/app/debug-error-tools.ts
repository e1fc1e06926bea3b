// What debug shows errors with: half of what the error pages need.

import path from 'node:path'
import { statusText } from '../base/http/node-http.ts'
import { createDebugRenderer } from '../errors/debug-renderer.ts'
import { ErrorFiles } from '../errors/error-files.ts'
import type { DebugRenderer, ErrorHandlerOptions, PrintError } from '../errors/error-handler.ts'
import { builtInHints } from '../errors/hints/index.ts'
import { createExplainer, type ExplainerOptions } from '../origins/explain-error.ts'
import { editorLinkOf } from '../http/config/editor-link.ts'
import { renderErrorTerminal } from '../errors/terminal-renderer.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import type { Log } from '../base/log/logger.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import type { ProfilerPlugin } from './plugins/profiler.ts'
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
  /** Default: no. */
  readonly hasAccessLines?: boolean
}

/** Outside debug the pages have no source. */
export function createErrorFiles({ settings, redactor, log }: ErrorHandlerInput): ErrorHandlerOptions['files'] {
  const { errorFiles, projectRoot } = settings
  if (errorFiles === null) return undefined
  const renderer = createDebugRenderer({ redactor, profilerPath: null })
  return new ErrorFiles({ folder: path.resolve(projectRoot, errorFiles), renderer, log })
}

export function createDebugTools(
  { settings, redactor, given: { hints = [] }, prints }: ErrorHandlerInput,
  files: ExplainerOptions['files'],
  { path: profilerPath, routerView }: ProfilerPlugin,
): { readonly renderer: DebugRenderer; readonly print: PrintError } & Pick<ErrorHandlerOptions, 'explain'> {
  const { env, projectRoot } = settings
  return {
    print: ({ id: reference, request, recording }, statusCode, chain) => {
      const { method, fullUrl } = request
      const facts = { statusCode, statusText: statusText(statusCode), method, url: redactor.url(fullUrl), reference }
      const error = { ...facts, token: recording?.token ?? null, chain, ...chain }
      process.stderr.write(renderErrorTerminal(error, { colors: true, links: true, projectRoot }))
    },
    renderer: createDebugRenderer({
      redactor,
      profilerPath,
      editor: editorLinkOf(settings),
      suggest: (request) => routerView.suggest(request),
      attempts: (request) => routerView.attempts(request),
    }),
    explain: createExplainer({
      redactor,
      files,
      // Inside other frameworks this is made with the first error, and the parser is warm.
      readsAhead: env === 'dev' && prints,
      hints: [...hints, ...builtInHints],
      nearRoutes: (request) => routerView.suggest(request),
    }),
  }
}
