// What nobody caught, in full, for standard error: at the start of a process and at its end. Loaded only then.

import { findProjectRoot } from '../base/own-package.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { Redactor } from '../base/redact/redactor.ts'
import { DevFolder } from '../errors/dev-folder.ts'
import { maskChain } from '../errors/error-view.ts'
import { flattenError } from '../errors/flatten-error.ts'
import { createExplainer } from '../origins/explain-error.ts'
import { StackFrames } from '../errors/stack-frames.ts'
import { renderChainTerminal } from '../errors/terminal-renderer.ts'

export interface ThrownReport {
  /** What happened: `Cannot start`. */
  readonly heading: string
  readonly thrown: unknown
  /** The request in whose code it was thrown, where that is known. */
  readonly exchange?: Exchange | undefined
  /** Whether profiles outlive the process. Default: no. */
  readonly keepsProfiles?: boolean
  readonly isTerminal: boolean
}

/**
 * The error with its causes, frames and source, as on an error page, the lines to change and the profile; secrets are masked by the built-in
 * rules. Coloured, with links to files, on a terminal. `fanlight dev` is told the same. Never throws.
 */
export function thrownReport({ heading, thrown, exchange, keepsProfiles, isTerminal }: ThrownReport): string {
  const projectRoot = findProjectRoot(process.cwd())
  const redactor = new Redactor()
  const frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
  const masked = maskChain(flattenError(thrown, { redactor, frames }), redactor)
  const { hints, candidates } = createExplainer({ redactor, files: frames.files })(masked, exchange)
  const token = keepsProfiles === true ? (exchange?.recording?.token ?? null) : null
  const request = exchange === undefined ? null : redactor.text(`${exchange.request.method} ${exchange.request.path}`)
  const full = redactor.text(request === null ? heading : `${heading} in ${request}`)
  DevFolder.ofProcess()?.tellCrash({ heading: full, request, token, chain: masked })
  const options = { colors: isTerminal, links: isTerminal, projectRoot }
  return renderChainTerminal(full, masked, { ...options, hints, candidates, token })
}
