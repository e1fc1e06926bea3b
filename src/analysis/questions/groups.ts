// Which profiles are counted in groups, in what order groups are listed, and what was looked at.

import { counted, formatCount } from '../../base/html/components.ts'
import { runTypeOf } from '../../observe/profile.ts'
import type { GatheredFrom } from '../../profiles/gather.ts'
import type { ProfileGroup, ProfileGroups } from '../../profiles/profile-store.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import { namesOf } from '../../base/members.ts'

/** What groups are ordered by, as addresses and options name it. */
export type GroupOrder = 'count' | 'errors' | 'p50' | 'p95' | 'own-code' | 'queries' | 'last'

const figures: Readonly<Record<GroupOrder, (group: ProfileGroup) => number | null>> = {
  count: ({ count }) => count,
  errors: ({ errorCount }) => errorCount,
  p50: ({ p50Ms }) => p50Ms,
  p95: ({ p95Ms }) => p95Ms,
  'own-code': ({ ownCpuP50Ms }) => ownCpuP50Ms,
  queries: ({ meanQueries }) => meanQueries,
  last: ({ lastTime }) => lastTime,
}

/** All of them, in the order of the columns. */
export const groupOrders: readonly GroupOrder[] = namesOf(figures)

/** The greatest first; groups of which the figure is not known come last. Equal ones stay as they were. */
export function inOrder<Of>(
  all: readonly Of[],
  order: GroupOrder,
  groupOf: (of: Of) => ProfileGroup | null,
): readonly Of[] {
  const figureOf = (of: Of): number => {
    const group = groupOf(of)
    return (group && figures[order](group)) ?? -1
  }
  return all.toSorted((one, other) => figureOf(other) - figureOf(one))
}

export function countedProfiles(filter: ProfileFilter): ProfileFilter {
  const isNamed = filter.type !== undefined || (filter.method !== undefined && runTypeOf(filter.method) !== undefined)
  return isNamed ? filter : { ...filter, type: 'request' }
}

export function countedName({ type }: ProfileFilter): string {
  return `${type ?? 'profile'}s`
}

/** What groups were made from: `242 requests in 34 routes`. `what` is counted, in the plural. */
export function groupsSentence(
  {
    by,
    count,
    isCut,
    groups,
    omitted,
  }: Pick<ProfileGroups, 'by' | 'count' | 'isCut' | 'omitted'> & { readonly groups: readonly unknown[] },
  what: string,
): string {
  const hidden = omitted === 0 ? '' : `, the ${groups.length} most frequent of which are shown`
  const said = `${counted(count, what.slice(0, -1))} in ${counted(groups.length + omitted, by)}${hidden}`
  return isCut ? `The newest ${said}; older ones are not counted.` : `${said}.`
}

/** What something was gathered from: `34 profiles with queries`. */
export function gatheredFrom({ profileCount, isCut }: GatheredFrom, what: string): string {
  const profiles = counted(profileCount, `profile ${what}`, `profiles ${what}`)
  return isCut ? `the newest ${profiles} (older ones were not looked at)` : profiles
}

/** A mean of counts: `3`, `2.7`. */
export function meanText(mean: number): string {
  return Number.isInteger(mean) ? formatCount(mean) : mean.toFixed(1)
}
