// Draws the debug response of a failed request. Loaded with the first error: page, hints and source are many modules.

import type { AnswerFormat } from '../framework/http/accept.ts'
import { contentSecurityPolicy, createNonce } from '../framework/html/document.ts'
import type { RequestContext } from '../framework/http/request-context.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Suggestion } from '../framework/routing/suggestion.ts'
import type { DebugRenderer, FailedRequest } from './error-handler.ts'
import type { ErrorRedactor } from './error-redactor.ts'
import type { ErrorView } from './error-view.ts'
import { gatherView, type ViewParts } from './gather-view.ts'
import type { HintRule } from './hints/hint.ts'
import { findHints } from './hints/index.ts'
import { renderErrorJson } from './json-renderer.ts'
import { errorMarkdownParts, renderErrorMarkdown } from './markdown-renderer.ts'
import { maskView } from './mask-chain.ts'
import { renderErrorPage } from './page/error-page.ts'
import type { EditorLink } from './page/frame-item.ts'
import { errorTypes, type ErrorBody } from './public-response.ts'
import { readProblem } from './read-problem.ts'
import type { RouteAttempts } from './route-attempts.ts'
import { errorTextParts, renderErrorText } from './text-renderer.ts'

/** What the debug renderer needs. */
export interface DebugRendererOptions {
  readonly redactor: ErrorRedactor
  /** Where profiles are, `/_profiler`; `null` where there are none. */
  readonly profilerPath: string | null
  /** Explain known errors, asked in this order. */
  readonly hints: readonly HintRule[]
  /** Links places of own code to an editor. Default: no links. */
  readonly editor?: EditorLink | undefined
  /** Routes close to a request that none matched. Default: none. */
  readonly suggest?: (context: RequestContext) => readonly Suggestion[]
  /** Why no route matched a request. Default: not told. */
  readonly attempts?: (context: RequestContext) => RouteAttempts
  /** Takes each error, masked, to be printed on a terminal. Default: nothing is printed. */
  readonly print?: (view: ErrorView) => void
}

/** Makes the renderer. */
export function createDebugRenderer(options: DebugRendererOptions): DebugRenderer {
  return { render: (request, format) => render(options, request, format) }
}

function render(options: DebugRendererOptions, request: FailedRequest, format: AnswerFormat): ErrorBody {
  const { redactor, hints, print } = options
  const { exchange, thrown, chain, masked } = request
  const failed = exchange.parent ?? exchange
  const view = gatherView(exchange, {
    ...request,
    ...routingOf(options, failed, request.isMiss),
    hints: findHints(chain, failed, hints),
    redactor,
  })
  print?.(maskView(view, redactor, masked))
  const type = errorTypes[format]
  switch (format) {
    case 'json':
      return { type, content: renderErrorJson({ ...view, problem: readProblem(thrown, redactor) }) }
    case 'markdown':
      return { type, content: renderErrorMarkdown(view) }
    case 'text':
      return { type, content: renderErrorText(view) }
    case 'html': {
      const nonce = createNonce()
      const shared = maskView(view, redactor, masked)
      const copy = { text: errorTextParts(shared), markdown: errorMarkdownParts(shared) }
      const { editor, profilerPath } = options
      const page = renderErrorPage(view, { nonce, profilerPath, copy, ...(editor === undefined ? {} : { editor }) })
      return { type, content: String(page), policy: contentSecurityPolicy(nonce) }
    }
  }
}

function routingOf(
  { suggest, attempts }: DebugRendererOptions,
  failed: Exchange,
  isMiss: boolean,
): Pick<ViewParts, 'suggestions' | 'attempts'> {
  if (!isMiss) return noRouting
  try {
    return { suggestions: suggest?.(failed.context) ?? [], attempts: attempts?.(failed.context) }
  } catch {
    // Both are a courtesy; the error itself has to be shown.
    return noRouting
  }
}

const noRouting: Pick<ViewParts, 'suggestions' | 'attempts'> = { suggestions: [], attempts: undefined }
