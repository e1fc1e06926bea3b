// Which requests are kept whatever the sample rate says.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import { isErrorOutcome } from '../../framework/recording/outcome.ts'
import { outcomeOf } from '../summarize.ts'
import { errorClassOf } from '../collectors/exception.ts'
import type { Queries } from '../capture/queries.ts'

/** What is kept of what was recorded. */
export interface KeepRules {
  /** Share of the ordinary profiles that are kept, 0 to 1. */
  readonly rate: number
  /** Whether errors are always kept: answers of 500 and above or none, thrown errors that are no 4xx, error lines in the log. */
  readonly errors: boolean
  /** From how many milliseconds on a request is slow, and always kept; `null`: none is. */
  readonly slowMs: number | null
  /** Whether requests with an N+1 are always kept. */
  readonly nPlusOne: boolean
}

/** Why a profile is worth keeping whatever the dice say. */
export type KeepReason = 'error' | 'slow' | 'n+1'

/** What is looked at of a request that was recorded and has ended. */
export type JudgedRequest = Pick<Exchange, 'reply' | 'sent' | 'recording' | 'children'>

/** The first reason that a request or one of its sub-requests gives; `null` for an ordinary one. An N+1 is looked for last. */
export function keepReason(
  request: JudgedRequest,
  rules: KeepRules,
  hasNPlusOne: (request: JudgedRequest) => boolean,
): KeepReason | null {
  if (rules.errors && anyOf(request, isError)) return 'error'
  const { slowMs } = rules
  if (slowMs !== null && (request.recording?.durationMs ?? 0) >= slowMs) return 'slow'
  return rules.nPlusOne && anyOf(request, hasNPlusOne) ? 'n+1' : null
}

function anyOf(request: JudgedRequest, test: (request: JudgedRequest) => boolean): boolean {
  return test(request) || request.children.some((child) => anyOf(child, test))
}

function isError(request: JudgedRequest): boolean {
  const { reply, sent, recording } = request
  return isErrorOutcome(
    outcomeOf({
      status: reply?.status,
      sent,
      errorClass: recording === undefined ? null : errorClassOf(recording),
      records: recording?.logger.records ?? [],
    }),
  )
}

/** Of one request, its sub-requests apart. */
export function hasNPlusOne({ recording }: JudgedRequest): boolean {
  // Only the capture keeps something under this name.
  const queries = recording?.kept('database') as Queries | undefined
  return queries?.toData().findings.some(({ kind }) => kind === 'n+1') ?? false
}
