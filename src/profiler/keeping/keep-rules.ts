// Which finished recordings are kept: errors, slow ones and repeated queries always, the rest by chance. Decided when
// everything is known, for a request and its sub-requests together.

import type { Profile } from '../profile.ts'

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

/** What is looked at of a profile. */
export type JudgedProfile = Pick<Profile, 'status' | 'durationMs' | 'errorClass' | 'logErrorCount' | 'data'>

/** The first reason that one of a request's profiles gives, its own and those of its sub-requests; `null` for ordinary ones. */
export function keepReason(family: readonly JudgedProfile[], rules: KeepRules): KeepReason | null {
  if (rules.errors && family.some(isError)) return 'error'
  const { slowMs } = rules
  if (slowMs !== null && family.some(({ durationMs }) => durationMs >= slowMs)) return 'slow'
  return rules.nPlusOne && family.some(hasNPlusOne) ? 'n+1' : null
}

// A 404 is thrown too, and no error of the application.
function isError({ status, errorClass, logErrorCount }: JudgedProfile): boolean {
  if (status >= 500 || status === 0 || logErrorCount > 0) return true
  return errorClass !== null && status < 400
}

// The collector's data passed through JSON, and a collector of the application may have taken its name.
function hasNPlusOne({ data }: JudgedProfile): boolean {
  const database = Object.hasOwn(data, 'database') ? data['database'] : undefined
  if (typeof database !== 'object' || database === null || !('findings' in database)) return false
  const { findings } = database
  return Array.isArray(findings) && findings.some(isNPlusOne)
}

function isNPlusOne(finding: unknown): boolean {
  return typeof finding === 'object' && finding !== null && 'kind' in finding && finding.kind === 'n+1'
}
