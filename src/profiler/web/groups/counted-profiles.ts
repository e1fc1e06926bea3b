// Which profiles are counted by route and by version: requests. A command has no route, and how long it takes says nothing about
// requests, so commands count where they are asked for; among errors they count always.

import { commandMethod, type GroupBy, type ProfileFilter } from '../../profile-store.ts'
import type { ListQuery } from '../list-query.ts'

/** The filter with which profiles are counted by something. */
export function countedProfiles(filter: ProfileFilter, by: GroupBy): ProfileFilter {
  return by === 'error' || filter.isCommand !== undefined || filter.method === commandMethod
    ? filter
    : { ...filter, isCommand: false }
}

/** The part of an address that leads to the same profiles in the list, which leaves no commands out by itself. */
export function countedParts(query: ListQuery): Readonly<Record<string, string>> {
  return query.value('type') === '' && query.value('method') === '' ? { type: 'request' } : {}
}

/** What is counted, for people. */
export function countedName({ isCommand }: ProfileFilter): string {
  if (isCommand === undefined) return 'profiles'
  return isCommand ? 'commands' : 'requests'
}
