// Counts profiles by route, by family of their errors or by version of the application.

import type { ProfileSummary } from '../profiler/profile.ts'
import type { GroupBy, ProfileGroup, ProfileGroups } from '../profiler/profile-store.ts'

/** Most profiles to count, the newest ones. */
export const maxGrouped = 10_000
/** Most groups to return; the smaller ones are left out and counted. */
const maxGroups = 200

/** What is read of a profile to count it. */
export const groupedProperties = [
  'token',
  'route',
  'errorFamily',
  'version',
  'durationMs',
  'time',
  'findings',
  'ownCpuMs',
  'queryCount',
] as const

type GroupedProfile = Pick<ProfileSummary, (typeof groupedProperties)[number]>

const keys = { route: 'route', error: 'errorFamily', version: 'version' } as const satisfies Record<
  GroupBy,
  keyof GroupedProfile
>

interface Members {
  readonly newest: GroupedProfile
  readonly durations: number[]
  /** Of those whose own code was measured. */
  readonly ownCpu: number[]
  errorCount: number
  queryCount: number
  /** How many of them say how many queries they sent. */
  countedQueries: number
  lastTime: number
}

/** The groups, the most frequent first. `isCut` says that there are older profiles which were not looked at. */
export function groupProfiles(newestFirst: Iterable<GroupedProfile>, by: GroupBy, isCut: boolean): ProfileGroups {
  const groups = new Map<string | null, Members>()
  let count = 0
  for (const profile of newestFirst) {
    const key = profile[keys[by]]
    if (by === 'error' && key === null) continue
    count += 1
    let members = groups.get(key)
    if (members === undefined) {
      members = {
        newest: profile,
        durations: [],
        ownCpu: [],
        errorCount: 0,
        queryCount: 0,
        countedQueries: 0,
        lastTime: profile.time,
      }
      groups.set(key, members)
    }
    members.durations.push(profile.durationMs)
    if (profile.ownCpuMs !== null) members.ownCpu.push(profile.ownCpuMs)
    if (profile.queryCount !== null) {
      members.queryCount += profile.queryCount
      members.countedQueries += 1
    }
    if (profile.findings.includes('error')) members.errorCount += 1
    if (profile.time > members.lastTime) members.lastTime = profile.time
  }
  const all = [...groups].map(([key, members]) => toGroup(key, members))
  all.sort((one, other) => other.count - one.count || other.lastTime - one.lastTime)
  return { by, groups: all.slice(0, maxGroups), count, isCut, omitted: Math.max(0, all.length - maxGroups) }
}

function toGroup(key: string | null, members: Members): ProfileGroup {
  const { newest, durations, ownCpu, errorCount, queryCount, countedQueries, lastTime } = members
  const sorted = Float64Array.from(durations).sort()
  return {
    key,
    count: durations.length,
    errorCount,
    p50Ms: ranked(sorted, 0.5),
    p95Ms: ranked(sorted, 0.95),
    p99Ms: ranked(sorted, 0.99),
    maxMs: ranked(sorted, 1),
    ownCpuP50Ms: ownCpu.length === 0 ? null : ranked(Float64Array.from(ownCpu).sort(), 0.5),
    meanQueries: countedQueries === 0 ? null : queryCount / countedQueries,
    lastTime,
    lastToken: newest.token,
  }
}

/** The smallest value that so many of the members do not exceed (nearest rank). */
function ranked(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
