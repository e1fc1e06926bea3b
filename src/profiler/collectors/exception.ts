// What was thrown, as the error handler kept it: the chain of errors, masked.

import type { ErrorChain } from '../../errors/flattened-error.ts'
import type { Recording } from '../../recording/recording.ts'
import type { Collector } from '../collector.ts'

/** Reads the chain that the error handler kept under `exception`; nothing where nothing was thrown. */
export const exceptionCollector: Collector<ErrorChain> = {
  name: 'exception',
  collect: (exchange) => chainOf(exchange.recording),
}

/** Class of the outermost error, or `null`. */
export function errorClassOf(recording: Recording): string | null {
  return chainOf(recording)?.errors[0]?.className ?? null
}

// Only the error handler keeps something under this name.
function chainOf(recording: Recording | undefined): ErrorChain | undefined {
  return recording?.kept('exception') as ErrorChain | undefined
}
