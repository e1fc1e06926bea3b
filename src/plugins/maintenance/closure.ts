// What a closure closes: the paths and routes that it names, or everything.

import { decodePath } from '../../framework/routing/decode-path.ts'
import type { Closure } from './lock-store.ts'

/** What is compared of a request. */
export interface ClosableRequest {
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** Name of the route that takes it; `undefined` if none does. */
  readonly route: string | undefined
}

/** In characters. */
const maxTargetLength = 200

/** How many paths and routes `only` names at most. */
export const maxTargets = 50

const routePrefix = 'route:'

/** For messages. */
export const targetsAllowed: string = `1 to ${maxTargets} paths such as "/checkout/*" and routes such as "route:checkout"`

/** Whether a request gets the maintenance page. */
export function isTurnedAway(closure: Closure, request: ClosableRequest): boolean {
  if (closure.readOnly === true && (request.method === 'GET' || request.method === 'HEAD')) return false
  return closure.only === undefined || isNamed(closure.only, request)
}

/** Whether a list of paths and routes names a request. */
export function isNamed(targets: readonly string[], { path, route }: Omit<ClosableRequest, 'method'>): boolean {
  // As the router sees it: `/%63heckout` is `/checkout`.
  const decoded = decodePath(path)
  for (const target of targets) {
    if (target.startsWith(routePrefix)) {
      if (target.slice(routePrefix.length) === route) return true
    } else if (decoded !== null && isBelow(target, decoded)) return true
  }
  return false
}

/** Whether any of them is a route, so that the route of a request has to be known. */
export function nameRoutes(targets: readonly string[]): boolean {
  return targets.some((target) => target.startsWith(routePrefix))
}

/** Whether it is a path, or one with `/*` at its end, or a route. */
export function isTarget(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxTargetLength) return false
  if (value.startsWith(routePrefix)) return value.length > routePrefix.length
  const path = value.endsWith('/*') ? value.slice(0, -1) : value
  return path.startsWith('/') && !/[*?#%\s]/.test(path)
}

function isBelow(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return path === pattern
  return path.startsWith(pattern.slice(0, -1)) || path === pattern.slice(0, -2)
}
