// Explains an error of a request: hints, where the values of its lines come from, and which lines to change.

import type { ExplainError } from '../error-handler.ts'
import type { HintRule } from '../hints/hint.ts'
import { findHints } from '../hints/index.ts'

export interface ExplainerOptions {
  /** In the order in which they are asked. */
  readonly hints: readonly HintRule[]
}

/** Explains the errors of one application. */
export function createExplainer({ hints }: ExplainerOptions): ExplainError {
  return (chain, failed) => ({ hints: findHints(chain, failed, hints), origins: [], candidates: [] })
}
