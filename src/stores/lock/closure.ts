// What a closure closes: the paths and routes that it names, or everything.

import type { HttpRequest } from '../../base/http/request.ts'
import { decodedValue, decodePath } from '../../routing/url-encoding.ts'
import type { Closure } from '../../profiles/lock.ts'

/** Whether bit 1 is set; negative numbers count as two's complement: -1 has it, -2 has not. */
export function isMaintenance(value: number): boolean {
  return (value & 1) === 1
}

/** Bitwise OR that keeps all 53 bits; `|` alone cuts to 32. */
export function joinBits(one: number, other: number): number {
  return Number(BigInt(one) | BigInt(other))
}

/** Without bit 1. */
export function withoutMaintenance(value: number): number {
  return Number(BigInt(value) & ~1n)
}

export interface ClosableRequest {
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** Name of the route that takes it; `undefined` if none does. Read only where a target names a route. */
  readonly route: string | undefined
  /** Whether the router of another framework serves it, which may read its path in another way. Default: no. */
  readonly isForeign?: boolean
}

/** `nameRoute` is asked only where a target names a route. */
export function closableOf(
  request: HttpRequest,
  nameRoute: (request: HttpRequest) => string | undefined,
  isForeign = false,
): ClosableRequest {
  return {
    isForeign,
    method: request.method,
    path: request.path,
    get route() {
      return nameRoute(request)
    },
  }
}

/** In characters. */
const maxTargetLength = 200

/** How many paths and routes `only` names at most. */
export const maxTargets = 50

const routePrefix = 'route:'
const everything: Closure = Object.freeze({})

/** For messages. */
export const targetsAllowed: string = `1 to ${maxTargets} paths such as "/checkout/*" and routes such as "route:checkout"`

/** Whether a request gets the maintenance page. */
export function isTurnedAway(closure: Closure, request: ClosableRequest): boolean {
  if (closure.readOnly === true && (request.method === 'GET' || request.method === 'HEAD')) return false
  const { only } = closure
  if (only === undefined || request.isForeign !== true) return only === undefined || isNamed(only, request)
  return isAmbiguous(request.path) || isNamed(only, request, (path) => path.toLowerCase())
}

/** Whether a list of paths and routes names a request. `fold`: what paths are compared by; other routers than ours ignore case. */
export function isNamed(
  targets: readonly string[],
  request: Pick<ClosableRequest, 'path' | 'route'>,
  fold: (path: string) => string = String,
): boolean {
  // As the router sees it: `/%63heckout//` is `/checkout`.
  const path = fold(trimmed(decodedValue(decodePath(request.path) ?? request.path)))
  for (const target of targets) {
    const name = routeOf(target)
    if (name === undefined ? isAt(fold(target), path) : name === request.route) return true
  }
  return false
}

/**
 * Whether what serves a path may read it as another one: with `#`, `;`, a backslash, `%2F`, two slashes side by side, a step `.` or `..`, or an
 * encoding that is malformed.
 */
export function isAmbiguous(path: string): boolean {
  const steps = trimmed(path).replaceAll(/%2e/gi, '.')
  return /[#;\\]|%5c|%2f|\/\/|\/\.{1,2}(?:\/|$)/i.test(steps) || decodePath(path) === null
}

/** Name of the route that a target names; `undefined` for a path. */
export function routeOf(target: string): string | undefined {
  return target.startsWith(routePrefix) ? target.slice(routePrefix.length) : undefined
}

/** Whether it is a path, or one with `/*` at its end, or a route. */
export function isTarget(value: string): boolean {
  if (value.length > maxTargetLength) return false
  const name = routeOf(value)
  if (name !== undefined) return name !== ''
  const path = value.endsWith('/*') ? value.slice(0, -1) : value
  return path.startsWith('/') && !/[*?#%\s]/.test(path)
}

/** What a state closes by itself. Bit 1 closes everything, whatever else it says (SPEC 6.1). */
export function closuresOf(value: number, { only, readOnly = false }: Closure): readonly Closure[] {
  if (isMaintenance(value)) return [everything]
  if (only === undefined && !readOnly) return []
  return [{ ...(only === undefined ? {} : { only }), readOnly }]
}

/** For people, without a full stop: `every request gets the maintenance page`. */
export function sayClosures(closures: readonly Closure[]): string {
  if (closures.length === 0) return 'requests are served'
  const parts = closures.map(({ only, readOnly }) => {
    const which = readOnly === true ? 'every request but GET and HEAD' : 'every request'
    return only === undefined ? which : `${which} of ${only.join(', ')}`
  })
  return `${parts.join(' and ')} gets the maintenance page`
}

function isAt(target: string, path: string): boolean {
  if (!target.endsWith('/*')) return path === trimmed(target)
  return path.startsWith(target.slice(0, -1)) || path === trimmed(target.slice(0, -1))
}

/** Without slashes at the end: the router takes them, or sends the client to the path without them. */
function trimmed(path: string): string {
  let end = path.length
  while (end > 1 && path.endsWith('/', end)) end -= 1
  return path.slice(0, end)
}
