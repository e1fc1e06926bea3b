// The route table as plain data, for the routes page and the command line.

import type { RouterTraceEntry } from '../../observe/request-record.ts'
import type { MatchResult } from '../../routing/url-matcher.ts'
import type { RouteProblem } from '../../routing/route-health.ts'
import type { Suggestion } from '../../routing/suggest-routes.ts'
import type { ProfileReader } from '../profile-store.ts'
import type { RouteAttempt } from '../../errors/error-view.ts'

export interface RouteFacts extends Pick<RouteAttempt, 'methods' | 'path' | 'host' | 'definedAt'> {
  /** With the locale for a localized route: `about.fr`. */
  readonly name: string
  /** Name in profiles: without the locale, or the path for a route of another framework that has no name. */
  readonly recordedAs: string
  /** The locale of a localized route. */
  readonly locale: string | null
  /** Empty for any scheme. */
  readonly schemes: readonly string[]
  readonly requirements: Readonly<Record<string, string>>
  readonly defaults: Readonly<Record<string, unknown>>
  readonly priority: number
  readonly hasCondition: boolean
  readonly handler: string
}

/** A route that another one hides, and that other one. */
export interface RouteFinding extends Pick<RouteProblem, 'kind' | 'message'> {
  readonly route: RouteFacts
  readonly by: RouteFacts
}

export interface RouteTrial {
  readonly method: string
  /** In full: `http://127.0.0.1:8000/products/tea?page=2`. */
  readonly url: string
  readonly path: string
  readonly outcome: MatchResult['kind']
  /** Matching route, or sends it on; `null` where none does. */
  readonly route: RouteFacts | null
  /** Decoded values with defaults filled in; empty without a match. */
  readonly params: Readonly<Record<string, unknown>>
  readonly redirect: { readonly status: number; readonly location: string } | null
  /** Methods that the path takes; empty unless the method is wrong. */
  readonly allow: readonly string[]
  /** For a match the routes in the order in which they are asked, up to the one that takes it; else every route, nearest first. */
  readonly trace: readonly RouterTraceEntry[]
  /** Near routes and what would work; empty if a route takes the request. */
  readonly suggestions: readonly Suggestion[]
}

export interface RouteTrialProblem {
  /** One sentence: what is wrong, and what is allowed. */
  readonly problem: string
}

/** Where a path without scheme and host is tried. */
export interface TrialBase {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

export interface RouteTableSource {
  list(): readonly RouteFacts[]
  findings(): readonly RouteFinding[]
  /** Tries a request as typed: `post`, `https://shop.example.org/basket` or `/basket`. Never throws. */
  try(method: string, url: string, base: TrialBase): RouteTrial | RouteTrialProblem
}

/** The routes that hold the text, whatever its case; all of them for an empty one. */
export function filterRoutes<Facts extends RouteFacts>(routes: readonly Facts[], part: string): readonly Facts[] {
  const wanted = part.trim().toLowerCase()
  return routes.filter((route) => {
    const { name, path, host, schemes, handler, definedAt } = route
    const texts = [name, methodsText(route), path, host, ...schemes, handler, definedAt ?? '']
    return texts.some((text) => text.toLowerCase().includes(wanted))
  })
}

/** Methods for people: `GET, POST` or `any`. */
export function methodsText({ methods }: Pick<RouteFacts, 'methods'>): string {
  return methods.length === 0 ? 'any' : methods.join(', ')
}

/** A route and its profiles; one with several locales counts as one. */
export interface UsedRoute extends RouteFacts {
  readonly profileCount: number
  /** Median of their durations in milliseconds; `null` where they are recorded under several names or methods, or none is. */
  readonly p50Ms: number | null
  /** Methods of these profiles, where routes of other methods have the same name in profiles. Else empty: any. */
  readonly profileMethods: readonly string[]
}

export interface RouteUse {
  readonly routes: readonly UsedRoute[]
  /** How many profiles were looked at. */
  readonly profiles: number
  /** Whether the store has older profiles, or profiles of more routes than were counted. */
  readonly isCut: boolean
}

/** `service`: whose profiles count, in a store of several services; `null`: all. Rejects when the store fails. */
export async function routeUse(
  all: readonly RouteFacts[],
  profiles: Pick<ProfileReader, 'group'>,
  service: string | null,
): Promise<RouteUse> {
  const filter = service === null ? {} : { service }
  const { groups, count, isCut, omitted } = await profiles.group(filter, 'route')
  const alike = [...Map.groupBy(all, ({ recordedAs }) => recordedAs).values()]
  const shared = new Set(alike.filter((routes) => new Set(routes.map(methodsText)).size > 1).flat())
  const found = groups.flatMap((group) => usesOf(group.key, ['']).map((use) => ({ group, use, method: '' })))
  for (const method of new Set([...shared].flatMap(takenMethods))) {
    const ofMethod = method === '' ? [] : (await profiles.group({ ...filter, method }, 'route')).groups
    found.push(...ofMethod.flatMap((group) => usesOf(group.key, [method]).map((use) => ({ group, use, method }))))
  }
  const byUse = Map.groupBy(found, ({ use }) => use)
  const routes = all.map((route): UsedRoute => {
    const own = (shared.has(route) ? keysOf(route) : [` ${route.recordedAs}`]).flatMap((use) => byUse.get(use) ?? [])
    const [p50Ms = null, ...others] = own.map(({ group }) => group.p50Ms)
    const profileCount = own.reduce((sum, { group }) => sum + group.count, 0)
    const profileMethods = [...new Set(own.flatMap(({ method }) => method || []))]
    return { ...route, profileCount, p50Ms: others.length === 0 ? p50Ms : null, profileMethods }
  })
  return { routes, profiles: count, isCut: isCut || omitted > 0 }
}

/** Those without a profile. `matched`: methods and names that requests matched since the start, `GET orders`. Default: not known. */
export function unusedRoutes(routes: readonly UsedRoute[], matched: Iterable<string> = []): readonly UsedRoute[] {
  const uses = [...matched].map((one) => usesOf(one.slice(one.indexOf(' ') + 1), ['', ...one.split(' ', 1)]))
  const used = new Set(uses.flat())
  return routes.filter((route) => route.profileCount === 0 && !keysOf(route).some((key) => used.has(key)))
}

function keysOf(route: RouteFacts): readonly string[] {
  return takenMethods(route).map((method) => `${method} ${route.recordedAs}`)
}

/** Methods of the requests that a route takes; one that is empty for any. */
function takenMethods({ methods }: RouteFacts): readonly string[] {
  const taken = methods.includes('GET') ? new Set([...methods, 'HEAD']) : methods
  return methods.length === 0 ? [''] : [...taken]
}

/** The names that a recorded route may mean, behind each method: `GET /orders`. A GraphQL operation follows its route; paths are joined. */
function usesOf(recorded: string | null, methods: readonly string[]): readonly string[] {
  const names = recorded === null ? [] : new Set([recorded, ...recorded.split(' ', 1), ...recorded.split(', ')])
  return [...names].flatMap((name) => methods.map((method) => `${method} ${name}`))
}
