// Turns whatever was thrown into plain data.

import type { ErrorRedactor } from './error-redactor.ts'
import type { ErrorChain } from './flattened-error.ts'

/** What flattening needs besides the thrown value. */
export interface FlattenOptions {
  /** Absolute directory of the application; files below it are own code. */
  readonly projectRoot: string
  readonly redactor: ErrorRedactor
  /** Errors of one chain shown at most. Default 20. */
  readonly maxCauses?: number
}

/** The thrown value with its causes. Never throws. */
export function flattenError(thrown: unknown, options: FlattenOptions): ErrorChain {
  const isError = thrown instanceof Error
  const message = isError ? thrown.message : String(thrown)
  const className = isError ? thrown.name : typeof thrown
  return {
    errors: [{ className, message, code: null, properties: [], frames: [], isError, members: [] }],
    cut: options.maxCauses === 0 ? 'all left out' : null,
  }
}
