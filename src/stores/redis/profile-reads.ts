// What is read of a store in Redis: a profile, a list, groups, counts.

import type {
  GroupBy,
  GroupRequest,
  PageRequest,
  ProfileFilter,
  ProfileGroups,
  ProfilePage,
  ProfileStoreStats,
} from '../../profiler/profile-store.ts'
import type { ProfileBounds } from '../engine-options.ts'
import { statsOf, type KeepingClass, type Totals } from '../evict.ts'
import { groupProfiles, maxGrouped } from '../group-profiles.ts'
import { pageLimit, pageOf } from '../profile-page.ts'
import { rowsOf } from './merged-rows.ts'
import { headerLength, jsonOf, timeOfRow } from './profile-rows.ts'
import { mostSearched, nothing, ProfileSearch } from './profile-search.ts'
import { headCommand, headOf, type PartitionHead, type Reading } from './reading.ts'

/** The JSON of a profile; `undefined` for an unknown token. Rejects if its partition does not respond, and for a damaged body. */
export async function readProfile(reading: Reading, token: string): Promise<string | undefined> {
  const partition = reading.partitionOf(token)
  const replies = await reading.send(partition, [['get', partition.profilePrefix + token]], true)
  if (replies === undefined) throw reading.failureOf(partition)
  const [value] = replies
  return value instanceof Uint8Array ? jsonOf(value.subarray(headerLength)) : undefined
}

export async function findProfiles(reading: Reading, filter: ProfileFilter, page: PageRequest): Promise<ProfilePage> {
  const search = await ProfileSearch.begin(reading)
  const { beside, countUpTo } = page
  const limit = beside === undefined ? pageLimit(page.limit) : 1
  const range = search.rangeOf(page)
  const { found, searched } = range === undefined ? nothing : await search.page(filter, page, range, limit + 1)
  return {
    ...pageOf(found, limit, 0, ({ summary }) => summary),
    newest: search.newest(page.newerThan),
    ...(searched !== undefined && { searchedNewest: searched }),
    ...(countUpTo !== undefined && { matched: await search.count(filter, page, found, countUpTo) }),
    ...reading.missing,
  }
}

export async function groupStored(
  reading: Reading,
  filter: ProfileFilter,
  by: GroupBy,
  request: GroupRequest | undefined,
): Promise<ProfileGroups> {
  const search = await ProfileSearch.begin(reading)
  const { found, searched } = await search.scan(filter, search.all, maxGrouped + 1, mostSearched(filter))
  const looked = found.slice(0, maxGrouped).map(({ summary }) => summary)
  const groups = groupProfiles(looked, by, found.length > maxGrouped || searched !== undefined, request)
  return { ...groups, ...reading.missing }
}

/** Counts of the partitions that respond. `bounds`: those of the whole store. */
export async function readStats(reading: Reading, bounds: ProfileBounds): Promise<ProfileStoreStats> {
  const replies = await reading.sendToEach((partition) => [
    headCommand(partition),
    ['xrange', partition.ordinaryKey, '-', '+', 'COUNT', 1],
    ['xrange', partition.longerKey, '-', '+', 'COUNT', 1],
  ])
  const heads = replies.map((reply) => headOf(reply?.[0]))
  const times = reading.partitions.flatMap((partition, index) =>
    [1, 2].flatMap((place) => {
      const [oldest] = rowsOf(replies[index]?.[place], partition)
      return oldest === undefined ? [] : (timeOfRow(oldest.text) ?? [])
    }),
  )
  const totals = { ordinary: sumOf(heads, 'ordinary'), longer: sumOf(heads, 'longer') }
  return { ...statsOf(totals, bounds, times.length === 0 ? null : Math.min(...times)), ...reading.missing }
}

function sumOf(heads: readonly PartitionHead[], name: KeepingClass): Totals {
  const sum = { count: 0, bytes: 0 }
  for (const { totals } of heads) {
    sum.count += totals[name].count
    sum.bytes += totals[name].bytes
  }
  return sum
}
