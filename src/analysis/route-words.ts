// What a route table says, and what it says to one request: for Markdown, commands and agents.

import { counted, formatCount, formatDuration } from '../base/html/components.ts'
import { detail, empty, facts, heading, note, place, recorded, text, wideTable } from '../observe/blocks/blocks.ts'
import type { Blocks, Fact, Line } from '../observe/blocks/blocks.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { askedRoutes, nearbyBlocks } from '../observe/collectors/request.ts'
import { methodsText } from '../profiles/query/route-table.ts'
import type { RouteFacts, RouteFinding, RouteTrial, RouteUse, UsedRoute } from '../profiles/query/route-table.ts'

interface RouteScope {
  /** How many routes there are. */
  readonly all: number
  /** Text that those which are shown have; empty for all. */
  readonly part: string
  /** How those that were never hit were looked for; `kept`: somewhere else. `null`: it does not matter. */
  readonly unused: Pick<RouteUse, 'profiles' | 'isCut'> | 'kept' | null
}

/** Those of a running application say how often each was hit. */
type ListedRoute = RouteFacts & Partial<UsedRoute>

export function routeBlocks(routes: readonly ListedRoute[], { all, part, unused }: RouteScope): Blocks {
  if (routes.length === 0) {
    if (part !== '') return [text([`None of ${counted(all, 'route')} contains`, recorded(JSON.stringify(part)), '.'])]
    return [empty(unused === null ? 'The application has no routes.' : 'Every route was hit.')]
  }
  const hasNames = routes.some(({ recordedAs, path }) => recordedAs !== path)
  return [
    text(routes.length < all && `${routes.length} of ${counted(all, 'route')}.`),
    text(unused !== null && unused !== 'kept' && unusedSentence(unused)),
    wideTable(
      'Routes in matching order',
      'route',
      [
        ...(hasNames ? ['Name', 'Methods', 'Path'] : ['Path', 'Methods']),
        'Handler',
        'Defined at',
        { number: 'Profiles' },
        { number: 'Median' },
      ],
      routes.map((route) => {
        const needs = detail('needs', recorded(cutText(needsOf(route).join(', '), 1000)))
        const path = [{ code: cutText(route.path, 500) }, needs]
        const methods = methodsText(route)
        return {
          cells: [
            ...(hasNames ? [{ strong: cutText(route.name, 200) }, methods, path] : [path, methods]),
            recorded(cutText(handlerOf(route), 200)) ?? '',
            // Unknown for what another framework registered before us.
            place(route.definedAt) ?? '',
            ...useOf(route),
          ],
        }
      }),
    ),
  ]
}

/** Nothing for a function without a name, which other columns tell of. */
function handlerOf({ handler, name, path, definedAt }: ListedRoute): string {
  return [name, 'unknown', `${path} (${definedAt})`].includes(handler) ? '' : handler
}

/** Nothing for none. A list of profiles has one method, or all. */
function useOf({ recordedAs, profileCount = 0, p50Ms = null, profileMethods = [] }: ListedRoute): readonly Line[] {
  if (profileCount === 0) return ['', '']
  const [method, ...others] = profileMethods
  const text = formatCount(profileCount)
  const link = { page: '', with: { route: recordedAs, ...(method !== undefined && { method }) }, text }
  return [others.length === 0 ? link : text, p50Ms === null ? '' : formatDuration(p50Ms)]
}

function needsOf(route: RouteFacts): readonly string[] {
  const { host, schemes, requirements, defaults, hasCondition, priority } = route
  return [
    ...(host === '' ? [] : [`host ${host}`]),
    ...(schemes.length === 0 ? [] : [`scheme ${schemes.join(', ')}`]),
    ...Object.entries(requirements).map(([name, source]) => `${name}: ${source}`),
    ...Object.entries(defaults).map(([name, value]) => `${name} defaults to ${JSON.stringify(value)}`),
    ...(hasCondition ? ['a condition'] : []),
    ...(priority === 0 ? [] : [`priority ${priority}`]),
  ]
}

/** What `never hit` means here. */
export function unusedSentence({ profiles, isCut }: Pick<RouteUse, 'profiles' | 'isCut'>): string {
  const searched = `${isCut ? 'the newest ' : ''}${counted(profiles, 'kept profile')}`
  return `No request matched these since this process started, nor in ${searched}. Where code rewrites addresses, such requests do not count.`
}

/** What is wrong with the table; nothing if nothing is. */
export function faultBlocks(problems: readonly RouteFinding[]): Blocks {
  if (problems.length === 0) return []
  return [
    heading('Faults'),
    {
      kind: 'list',
      items: problems.map(({ kind, message }): Line => [{ mark: kind, tone: 'warning' }, recorded(message)]),
    },
  ]
}

/** Which route takes a request, or what would. */
export function trialBlocks({ method, url, route, redirect, allow, outcome, params, suggestions }: RouteTrial): Blocks {
  const request = { code: cutText(`${method} ${url}`, maxText) }
  if (route === null) {
    return [
      outcome === 'method_not_allowed'
        ? note([request, `is not allowed. Use ${allow.join(', ')}.`])
        : note(['No route matches', request, '.']),
      ...nearbyBlocks(suggestions),
    ]
  }
  const named = Object.entries(params).map(([name, value]): Fact => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    return [{ recorded: cutText(name, 200) }, recorded(cutText(shown, maxText))]
  })
  const leads =
    redirect === null
      ? ['matches']
      : ['is redirected to', { code: cutText(redirect.location, maxText) }, `with ${redirect.status}, which matches`]
  return [
    note([request, ...leads, { strong: route.name }, '.'], redirect === null ? 'success' : 'info'),
    facts('Matching route', [
      ['Path', recorded(route.path)],
      ['Handler', recorded(route.handler)],
      ['Defined at', place(route.definedAt) ?? 'unknown'],
    ]),
    ...(named.length === 0 ? [] : [heading('Route parameters'), facts('Route parameters', named)]),
  ]
}

const maxText = 2000

/** What each route said that was asked. `most`: how many with another path are named. */
export function askedBlocks({ outcome, trace }: RouteTrial, most: number): Blocks {
  return askedRoutes(trace, outcome === 'match' ? 'in this order' : 'closest first', most)
}
