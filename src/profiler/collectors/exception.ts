// What was thrown, as the error handler kept it: the chain of errors, masked.

import type { ErrorChain } from '../../errors/flattened-error.ts'
import type { RecordCollector, RecordingRecord } from '../request-record.ts'

/** Reads the chain that the error handler kept under `exception`; nothing where nothing was thrown. */
export const exceptionCollector: RecordCollector<ErrorChain> = {
  name: 'exception',
  reads: ['exception'],
  collect: ({ recording }) => chainOf(recording),
  // Most of a long chain is source. A chain that is too long without it is left out as a whole.
  cut: (chain) => ({ ...withoutSource(chain), cut: joined(chain.cut, 'source, to keep the profile small') }),
}

/** Class of the outermost error, or `null`. */
export function errorClassOf(recording: RecordingRecord): string | null {
  return chainOf(recording)?.errors[0]?.className ?? null
}

// Only the error handler keeps something under this name.
function chainOf(recording: RecordingRecord | undefined): ErrorChain | undefined {
  return recording?.kept('exception') as ErrorChain | undefined
}

function withoutSource({ errors, cut }: ErrorChain): ErrorChain {
  const bare = errors.map((error) => ({
    ...error,
    frames: error.frames.map((frame) => ({ ...frame, excerpt: null })),
    members: error.members.map(withoutSource),
  }))
  return { errors: bare, cut }
}

function joined(cut: string | null, more: string): string {
  return cut === null ? more : `${cut}; ${more}`
}
