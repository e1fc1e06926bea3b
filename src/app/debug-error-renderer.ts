// Makes the renderer of debug errors. Loaded with the error handler, not with the start: page and hints are many modules.

import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { createDebugRenderer } from '../errors/debug-renderer.ts'
import type { DebugRenderer } from '../errors/error-handler.ts'
import type { HintRule } from '../errors/hints/hint.ts'
import { builtInHints } from '../errors/hints/index.ts'
import { renderErrorTerminal } from '../errors/terminal-renderer.ts'
import type { EditorLink } from '../errors/page/frame-item.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { RouterView } from './router-view.ts'

/** What it is made from. */
export interface DebugErrorInput {
  readonly context: RuntimeContext
  readonly redactor: Redactor
  readonly profilerPath: string
  /** The application's own, asked before the built-in ones. */
  readonly hints: readonly HintRule[]
  readonly editor: EditorLink | undefined
  readonly routerView: RouterView
}

/** Makes it. */
export function debugErrorRenderer({ context, hints, routerView, ...rest }: DebugErrorInput): DebugRenderer {
  const { projectRoot } = context
  const isTerminal = context.env === 'dev' && process.stderr.isTTY
  return createDebugRenderer({
    ...rest,
    hints: [...hints, ...builtInHints],
    suggest: (request) => routerView.suggest(request),
    attempts: (request) => routerView.attempts(request),
    ...(isTerminal
      ? {
          print: (view) =>
            void process.stderr.write(renderErrorTerminal(view, { colors: true, links: true, projectRoot })),
        }
      : {}),
  })
}
