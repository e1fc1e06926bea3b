// Makes the renderer of debug errors. Loaded with the error handler, not with the start: page and hints are many modules.

import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { createDebugRenderer } from '../errors/debug-renderer.ts'
import type { DebugRenderer } from '../errors/error-handler.ts'
import { renderErrorTerminal } from '../errors/terminal-renderer.ts'
import { editorLinkOf } from '../errors/page/editor-link.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { RouterView } from '../profiler/router-view.ts'

export interface DebugErrorInput {
  readonly settings: RuntimeContext
  readonly redactor: Redactor
  readonly profilerPath: string
  readonly routerView: RouterView
  /** Whether errors are printed on a terminal, too. */
  readonly prints: boolean
}

export function debugErrorRenderer({ settings, routerView, prints, ...rest }: DebugErrorInput): DebugRenderer {
  const { projectRoot } = settings
  const isTerminal = prints && settings.env === 'dev' && process.stderr.isTTY
  return createDebugRenderer({
    ...rest,
    editor: editorLinkOf(settings),
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
