// In which order groups of profiles are shown: by any of their figures, the greatest first.

import type { ProfileGroup } from '../../profile-store.ts'

/** What groups are ordered by, as addresses and options name it. */
export type GroupOrder = 'count' | 'errors' | 'p50' | 'p95' | 'p99' | 'longest' | 'own-code' | 'queries' | 'last'

const figures: Readonly<Record<GroupOrder, (group: ProfileGroup) => number | null>> = {
  count: ({ count }) => count,
  errors: ({ errorCount }) => errorCount,
  p50: ({ p50Ms }) => p50Ms,
  p95: ({ p95Ms }) => p95Ms,
  p99: ({ p99Ms }) => p99Ms,
  longest: ({ maxMs }) => maxMs,
  'own-code': ({ ownCpuP50Ms }) => ownCpuP50Ms,
  queries: ({ meanQueries }) => meanQueries,
  last: ({ lastTime }) => lastTime,
}

/** All of them, in the order of the columns. */
export const groupOrders: readonly GroupOrder[] = Object.keys(figures) as GroupOrder[]

/** The greatest first; groups of which the figure is not known come last. Equal ones stay as they were. */
export function inOrder(groups: readonly ProfileGroup[], order: GroupOrder): readonly ProfileGroup[] {
  const figureOf = (group: ProfileGroup): number => figures[order](group) ?? -1
  return groups.toSorted((one, other) => figureOf(other) - figureOf(one))
}

/** The order that a text names; `undefined` for one that names none. */
export function groupOrderOf(text: string): GroupOrder | undefined {
  return groupOrders.find((order) => order === text)
}
