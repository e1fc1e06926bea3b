// Routes that no request matched: not since the start, and in no profile that is kept.

import { performance } from '../../base/timing/builtins.ts'
import type { ProfileReader } from '../profile-store.ts'
import type { RouteFacts } from './route-table.ts'

export interface UnusedRoutes {
  readonly routes: readonly RouteFacts[]
  /** How many profiles were looked at. */
  readonly profiles: number
  /** Whether the store has older profiles, which were asked about for the first hundred routes only. */
  readonly isCut: boolean
}

interface RouteUse {
  readonly profiles: Pick<ProfileReader, 'find' | 'group'>
  /** Names of routes that requests matched since the start. Default: not known. */
  readonly matched?: ReadonlySet<string>
  /** The service whose profiles count, in a store of several services. `null`: all. */
  readonly service: string | null
}

/** Routes that are asked about one by one, and for how long, in milliseconds. */
const maxAsked = 100
const budgetMs = 2000

/** A route with several locales counts as one. Rejects when the store fails. */
export async function unusedRoutes(
  all: readonly RouteFacts[],
  { profiles, matched, service }: RouteUse,
): Promise<UnusedRoutes> {
  const filter = service === null ? {} : { service }
  const { groups, count, isCut, omitted } = await profiles.group(filter, 'route')
  const used = new Set([...(matched ?? []), ...groups.flatMap(({ key }) => [key, key?.split(' ')[0]])])
  const hasMore = isCut || omitted > 0
  if (hasMore) {
    const deadline = performance.now() + budgetMs
    const open = new Set(all.map(recordedName).filter((name) => !used.has(name)))
    for (const route of [...open].slice(0, maxAsked)) {
      if (performance.now() > deadline) break
      const { items } = await profiles.find({ ...filter, route }, { limit: 1 })
      if (items.length > 0) used.add(route)
    }
  }
  return { routes: all.filter((route) => !used.has(recordedName(route))), profiles: count, isCut: hasMore }
}

/** As profiles name it, without the locale. */
function recordedName({ name, locale }: RouteFacts): string {
  return locale === null ? name : name.slice(0, -locale.length - 1)
}
