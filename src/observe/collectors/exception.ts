// What was thrown and what explains it, as the error handler kept it, masked.

import { errorFamily } from '../../errors/error-family.ts'
import type { ErrorChain } from '../../errors/flattened-error.ts'
import { exceptionName, type ExplainedChain } from '../../errors/value-origin.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { Recording } from '../../http/recording/recording.ts'

/** Characters of a message that a summary keeps. */
const maxSummaryLength = 300

/** Nothing if nothing was thrown. */
export const exceptionCollector: BuiltInCollector<ExplainedChain> = {
  name: 'exception',
  collect: ({ parts }) => parts.exception,
  summarize: (chain) => ({
    errorFamily: errorFamily(chain),
    errorMessage: chain.errors[0]?.message.slice(0, maxSummaryLength) ?? null,
  }),
  // Most of a long chain is source code. A chain that is too long without it is left out.
  cut: ({ origins = [], ...chain }) => ({
    ...chain,
    ...withoutSource(chain),
    origins: origins.map((origin) => ({ ...origin, source: null })),
    cut: `${chain.cut === null ? '' : `${chain.cut}; `}source, to keep the profile small`,
  }),
}

/** Class of the outermost error that a recording keeps, or `null`. */
export function errorClassOf(recording: Pick<Recording, 'kept'>): string | null {
  return recording.kept(exceptionName)?.errors[0]?.className ?? null
}

function withoutSource({ errors, cut }: ErrorChain): ErrorChain {
  const bare = errors.map((error) => ({
    ...error,
    frames: error.frames.map((frame) => ({ ...frame, excerpt: null })),
    members: error.members.map(withoutSource),
  }))
  return { errors: bare, cut }
}
