// Judges requests that have ended: why their profiles are worth keeping, and what groups their errors.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import { isErrorOutcome, isOpenEnded } from '../../framework/recording/outcome.ts'
import { outcomeOf } from '../assemble-profile.ts'
import type { Queries } from '../capture/queries.ts'
import { errorClassOf, errorFamilyOf } from '../collectors/exception.ts'
import type { KeepRules } from './recording-rules.ts'

/** Why a profile is worth keeping whatever the dice say. */
export type KeepReason = 'error' | 'slow' | 'n+1'

/** What is looked at of a request that was recorded and has ended. */
export type JudgedRequest = Pick<Exchange, 'request' | 'route' | 'reply' | 'sent' | 'recording' | 'children'>

/** The first reason that a request or one of its sub-requests gives; `null` for an ordinary one. An N+1 is looked for last. */
export function keepReason(request: JudgedRequest, rules: KeepRules): KeepReason | null {
  if (rules.errors && anyOf(request, isError)) return 'error'
  const { slowMs } = rules
  const isSlow = slowMs !== null && (request.recording?.durationMs ?? 0) >= slowMs
  if (isSlow && (request.reply === undefined || !isOpenEnded(request.reply))) return 'slow'
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

/** What groups the errors of a request and its sub-requests; `null` without one. Not every error was thrown. */
export function errorGroupOf(request: JudgedRequest): string | null {
  if (isError(request)) {
    const { recording, reply, route } = request
    const thrown = recording === undefined ? null : errorFamilyOf(recording)
    return thrown ?? `${reply?.status ?? 'no response'} ${route?.name ?? ''}`
  }
  for (const child of request.children) {
    const family = errorGroupOf(child)
    if (family !== null) return family
  }
  return null
}

/** How many profiles a request makes: its own, and one for each sub-request. */
export function profilesOf({ children }: JudgedRequest): number {
  let count = 1
  for (const child of children) count += profilesOf(child)
  return count
}

/** Of one request, its sub-requests apart. */
function hasNPlusOne({ recording }: JudgedRequest): boolean {
  // Only the capture keeps something under this name.
  const queries = recording?.kept('database') as Queries | undefined
  return queries?.toData().findings.some(({ kind }) => kind === 'n+1') ?? false
}
