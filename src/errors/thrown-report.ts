// What nobody caught, in full, for standard error: at the start of a process and at its end. Loaded only then.

import { findProjectRoot } from '../framework/config/own-package.ts'
import { currentExchange } from '../framework/kernel/current-exchange.ts'
import { Redactor } from '../framework/redact/redactor.ts'
import { maskChain } from './error-view.ts'
import { flattenError } from './flatten-error.ts'
import { createExplainer } from './origins/explain-error.ts'
import { StackFrames } from './stack-frames.ts'
import { renderChainTerminal } from './terminal-renderer.ts'

/**
 * The error with its causes, frames and source, as on an error page, and the lines to change; secrets are masked by the built-in rules. `heading` says what
 * happened: `Cannot start`. Coloured, with links to files, on a terminal. Never throws.
 */
export function thrownReport(heading: string, thrown: unknown, isTerminal: boolean): string {
  const projectRoot = findProjectRoot(process.cwd())
  const redactor = new Redactor()
  const frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
  const flat = flattenError(thrown, { redactor, frames })
  const masked = maskChain(flat, redactor)
  const { hints, candidates } = createExplainer({ redactor, files: frames.files })(masked, currentExchange())
  const options = { colors: isTerminal, links: isTerminal, projectRoot }
  return renderChainTerminal(redactor.text(heading), masked, { ...options, hints, candidates })
}
