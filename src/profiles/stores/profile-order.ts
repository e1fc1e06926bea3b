// The orders of a list that only look at summaries.

import type { ProfileSummary } from '../../observe/profile.ts'
import type { ProfileOrder } from '../profile-store.ts'

const figures: Readonly<Record<ProfileOrder, (summary: ProfileSummary) => number>> = {
  newest: () => 0,
  slowest: ({ durationMs }) => durationMs,
  queries: ({ queryCount }) => queryCount ?? -1,
  logs: ({ logCount }) => logCount,
}

interface Placed {
  readonly seq: number
  readonly summary: ProfileSummary
}

/** Compares for an order: the greatest first, the newest of equal ones first. */
export function compareBy(order: ProfileOrder): (one: Placed, other: Placed) => number {
  const figureOf = figures[order]
  return (one, other) => figureOf(other.summary) - figureOf(one.summary) || other.seq - one.seq
}
