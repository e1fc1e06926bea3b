// Whether a request repeats a query for each item of a list. Reads the captured queries, before a profile is made.

import type { Queries } from '../capture/queries.ts'
import type { JudgedRequest } from './keep-rules.ts'

/** Of one request, its sub-requests apart. */
export function hasNPlusOne({ recording }: JudgedRequest): boolean {
  // Only the capture keeps something under this name.
  const queries = recording?.kept('database') as Queries | undefined
  return queries?.toData().findings.some(({ kind }) => kind === 'n+1') ?? false
}
