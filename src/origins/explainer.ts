// The explainer of a process, loaded at once with the first error: a process that ends has no time for an import.

import { requireBeside } from '../http/kernel/lazy.ts'
import type { ExplainError } from '../errors/error-handler.ts'
import type * as Explaining from './explain-error.ts'

/** Explains as `createExplainer` does. */
export function explainerOf(options: Explaining.ExplainerOptions): ExplainError {
  let explain: ExplainError | undefined
  return (chain, failed) => {
    const { createExplainer } = requireBeside('explain-error', import.meta.url) as typeof Explaining
    explain ??= createExplainer(options)
    return explain(chain, failed)
  }
}
