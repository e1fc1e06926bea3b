// Counts profiles by route or by version of the application.

import { browserMethod, runTypeOf, type ProfileSummary } from '../../observe/profile.ts'
import type { GroupBy, GroupPart, GroupRequest, ProfileGroup, ProfileGroups } from '../profile-store.ts'

/** Most profiles to count, the newest ones. */
export const maxGrouped = 10_000
/** Most groups to return; the smaller ones are left out and counted. */
const maxGroups = 200

const counted = [
  'token',
  'route',
  'errorFamily',
  'version',
  'durationMs',
  'time',
  'findings',
  'ownCpuMs',
  'queryCount',
  'errorMessage',
] as const

/** Also read, for the parts of groups. */
const onlyInParts = ['service', 'method', 'handler'] as const

/** What is read of a profile to count it. */
export function groupedProperties({ withParts = false }: GroupRequest = {}): readonly (keyof GroupedProfile)[] {
  return withParts ? [...counted, ...onlyInParts] : counted
}

type GroupedProfile = Pick<ProfileSummary, (typeof counted)[number]> &
  Partial<Pick<ProfileSummary, (typeof onlyInParts)[number]>>

/** The groups, the most frequent first. `isCut` says that there are older profiles which were not looked at. */
export function groupProfiles(
  newestFirst: Iterable<GroupedProfile>,
  by: GroupBy,
  isCut: boolean,
  { isForComparison = false, withParts = false }: GroupRequest = {},
): ProfileGroups {
  const groups = new Map<string | null, GroupedProfile[]>()
  const range: Changing<TimeRange> = { from: Infinity, to: -Infinity }
  let count = 0
  for (const profile of newestFirst) {
    const key = profile[by]
    count += 1
    range.from = Math.min(range.from, profile.time)
    range.to = Math.max(range.to, profile.time)
    const members = groups.get(key)
    if (members === undefined) groups.set(key, [profile])
    else members.push(profile)
  }
  const groupOf = isForComparison ? toSampledGroup : withParts ? toPartedGroup : toGroup
  const all = [...groups].map(([key, members]) => groupOf(key, members, range))
  all.sort((one, other) => other.count - one.count || other.lastTime - one.lastTime)
  return { by, groups: all.slice(0, maxGroups), count, isCut, omitted: Math.max(0, all.length - maxGroups) }
}

/** Profiles at the beginning of a group that are warm-up, at most. */
const maxWarmUp = 5

/** Groups with fewer profiles keep all of them. */
const fewForWarmUp = 8

/** All but the first ones, and never fewer than three quarters. */
function warm(newestFirst: readonly GroupedProfile[]): readonly GroupedProfile[] {
  const { length } = newestFirst
  return length < fewForWarmUp
    ? newestFirst
    : newestFirst.slice(0, length - Math.min(maxWarmUp, Math.floor(length / 4)))
}

function toSampledGroup(key: string | null, members: readonly GroupedProfile[], range: TimeRange): ProfileGroup {
  const newestFirst = warm(members)
  const samples = newestFirst.toReversed().map(({ durationMs, ownCpuMs, queryCount, findings }) => {
    return { durationMs, ownCpuMs, queryCount, isError: findings.includes('error') }
  })
  const { count, errorCount, strip } = toGroup(key, members, range)
  return { ...toGroup(key, newestFirst, range), count, errorCount, strip, samples }
}

function toPartedGroup(key: string | null, newestFirst: readonly GroupedProfile[], range: TimeRange): ProfileGroup {
  return { ...toGroup(key, newestFirst, range), parts: partsOf(newestFirst) }
}

/** `newestFirst` has one member at least. */
function toGroup(key: string | null, newestFirst: readonly GroupedProfile[], range: TimeRange): ProfileGroup {
  const durations = sorted(newestFirst.map(({ durationMs }) => durationMs))
  const ownCpu = sorted(newestFirst.flatMap(({ ownCpuMs }) => ownCpuMs ?? []))
  const queries = newestFirst.flatMap(({ queryCount }) => queryCount ?? [])
  const times = newestFirst.map(({ time }) => time)
  return {
    key,
    count: newestFirst.length,
    errorCount: newestFirst.filter(({ findings }) => findings.includes('error')).length,
    p50Ms: ranked(durations, 0.5),
    p95Ms: ranked(durations, 0.95),
    ownCpuP50Ms: ownCpu.length === 0 ? null : ranked(ownCpu, 0.5),
    meanQueries: queries.length === 0 ? null : queries.reduce((sum, one) => sum + one, 0) / queries.length,
    lastTime: times.reduce((last, time) => Math.max(last, time)),
    lastToken: newestFirst[0]?.token ?? '',
    lastMessage: newestFirst.find(({ errorMessage }) => errorMessage !== null)?.errorMessage ?? null,
    strip: stripOf(times, range),
  }
}

function partsOf(newestFirst: readonly GroupedProfile[]): readonly GroupPart[] {
  const parts = new Map<string, Changing<GroupPart> & { times: number[] }>()
  for (const {
    service = null,
    method,
    route,
    handler = '',
    errorFamily,
    findings,
    time,
    token,
    errorMessage,
  } of newestFirst) {
    const type = method === undefined ? undefined : runTypeOf(method)
    const command = type === undefined ? null : handler
    const run = type === 'job' || type === 'task' ? { runType: type } : {}
    const isBrowser = method === browserMethod
    const isError = findings.includes('error')
    // No name holds a zero byte, nor is one empty.
    const key = [service, route, command, type, isBrowser, errorFamily, isError].join('\0')
    const part = parts.get(key)
    if (part === undefined) {
      const times = errorFamily === null ? [] : [time]
      const seen = { count: 1, firstTime: time, lastTime: time, lastToken: token, lastMessage: errorMessage, times }
      parts.set(key, { service, route, command, ...run, isBrowser, errorFamily, isError, ...seen })
    } else {
      part.count += 1
      part.firstTime = Math.min(part.firstTime, time)
      part.lastTime = Math.max(part.lastTime, time)
      part.lastMessage ??= errorMessage
      if (errorFamily !== null) part.times.push(time)
    }
  }
  return [...parts.values()]
}

type Changing<Whole> = { -readonly [Name in keyof Whole]: Whole[Name] }

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort()
}

/** The smallest value that so many of the members do not exceed (nearest rank). */
function ranked(values: Float64Array, share: number): number {
  return values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0
}

/** Milliseconds since 1970. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** Parts of the time that a strip has. */
const stripLength = 24

/** How many of the times are in each of 24 equal parts of the range. */
export function stripOf(times: readonly number[], { from, to }: TimeRange): readonly number[] {
  const strip = Array.from({ length: stripLength }, () => 0)
  const step = (to - from) / stripLength
  for (const time of times) {
    const part = step > 0 ? Math.min(stripLength - 1, Math.floor((time - from) / step)) : stripLength - 1
    strip[part] = (strip[part] ?? 0) + 1
  }
  return strip
}
