// Whether a request that has ended repeats a query for each item of a list. Looks at the statements as the capture kept
// them: a profile need not be made for it.

import type { Statements } from '../capture/statements.ts'
import type { JudgedRequest } from './keep-rules.ts'

/** Of one request, its sub-requests apart. */
export function hasNPlusOne({ recording }: JudgedRequest): boolean {
  // Only the capture keeps something under this name.
  const statements = recording?.kept('database') as Statements | undefined
  return statements?.toData().findings.some(({ kind }) => kind === 'n+1') ?? false
}
