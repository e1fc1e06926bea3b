// What the error handler shows in debug only. Loaded with the error handler, not with the start: page and hints are many
// modules.

import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { ErrorHandlerOptions } from '../errors/error-handler.ts'
import type { HintRule } from '../errors/hints/hint.ts'
import { builtInHints } from '../errors/hints/index.ts'
import { loadLatePackages } from '../errors/late-packages.ts'
import { renderErrorTerminal } from '../errors/terminal-renderer.ts'
import { renderErrorPage } from '../errors/page/error-page.ts'
import type { EditorLink } from '../errors/page/frame-item.ts'
import type { RouterView } from './router-view.ts'

/** Page, hints, what routing says, the same error in the terminal. */
export type DebugErrorOptions = Pick<ErrorHandlerOptions, 'renderPage' | 'hints' | 'print' | 'suggest' | 'attempts'>

/** What they are made from. */
export interface DebugErrorInput {
  readonly context: RuntimeContext
  /** The application's own, asked before the built-in ones. */
  readonly hints: readonly HintRule[]
  readonly editor: EditorLink | undefined
  readonly routerView: RouterView
}

/** Makes them, and loads what errors are shown with. */
export function debugErrorOptions({ context, hints, editor, routerView }: DebugErrorInput): DebugErrorOptions {
  loadLatePackages()
  return {
    renderPage: (view, page) => renderErrorPage(view, { ...page, ...(editor === undefined ? {} : { editor }) }),
    hints: [...hints, ...builtInHints],
    suggest: (request) => routerView.suggest(request),
    attempts: (request) => routerView.attempts(request),
    ...(context.env === 'dev' && process.stderr.isTTY ? { print: printError(context) } : {}),
  }
}

function printError({ projectRoot }: RuntimeContext): NonNullable<ErrorHandlerOptions['print']> {
  return (view) => process.stderr.write(renderErrorTerminal(view, { colors: true, links: true, projectRoot }))
}
