// Routes that no request matched: not since the start, and in no profile that is kept.

import type { ProfileReader } from '../profile-store.ts'
import type { RouteFacts } from './route-table.ts'

export interface UnusedRoutes {
  readonly routes: readonly RouteFacts[]
  /** How many profiles were looked at. */
  readonly profiles: number
  /** Whether the store has older profiles, or profiles of more routes than were counted. */
  readonly isCut: boolean
}

interface RouteUse {
  readonly profiles: Pick<ProfileReader, 'group'>
  /** Names of routes that requests matched since the start. Default: not known. */
  readonly matched?: ReadonlySet<string>
  /** The service whose profiles count, in a store of several services. `null`: all. */
  readonly service: string | null
}

/** A route with several locales counts as one. Rejects when the store fails. */
export async function unusedRoutes(
  all: readonly RouteFacts[],
  { profiles, matched, service }: RouteUse,
): Promise<UnusedRoutes> {
  const { groups, count, isCut, omitted } = await profiles.group(service === null ? {} : { service }, 'route')
  const used = new Set([...(matched ?? []), ...groups.flatMap(({ key }) => [key, key?.split(' ')[0]])])
  return { routes: all.filter((route) => !used.has(recordedName(route))), profiles: count, isCut: isCut || omitted > 0 }
}

/** As profiles name it, without the locale. */
function recordedName({ name, locale }: RouteFacts): string {
  return locale === null ? name : name.slice(0, -locale.length - 1)
}
