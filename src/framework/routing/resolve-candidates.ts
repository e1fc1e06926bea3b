// Decides between the routes that take a path: host, condition, slash at the end, scheme, method; the first that fits wins.

import type { RequestContext } from '../http/request-context.ts'
import type { Candidate } from './find-candidates.ts'
import { answeredMethods } from './route-entry.ts'
import type { RouteEntry } from './route-entry.ts'

/** What the routes say to a request. */
export type Resolution =
  | { readonly kind: 'match'; readonly candidate: Candidate; readonly hostValues: readonly (string | undefined)[] }
  /** The first route that fits has the other slash at its end, and wants the request to be sent there. */
  | { readonly kind: 'other-slash' }
  /** Nobody took it; methods and schemes that would have been taken. */
  | { readonly kind: 'none'; readonly allow: ReadonlySet<string>; readonly schemes: ReadonlySet<string> }

/** What is asked, besides the path. */
export interface Question {
  readonly context: RequestContext
  readonly scheme: string
  /** Whether requests may be sent to a route's own form. */
  readonly redirects: boolean
}

/** Asks the candidates one after the other. */
export function resolveCandidates(candidates: readonly Candidate[], question: Question): Resolution {
  const { context, scheme, redirects } = question
  const allow = new Set<string>()
  const schemes = new Set<string>()
  for (const candidate of candidates) {
    const { entry } = candidate
    const { route } = entry
    const hostValues = matchHost(entry, context.host)
    if (hostValues === null || !meetsCondition(entry, context)) continue
    const takesMethod = entry.methods === null || entry.methods.includes(context.method)
    const isSent = redirects && isRedirected(entry, context.method)
    if (!candidate.isOwnForm) {
      if (isSent && takesMethod) return { kind: 'other-slash' }
      continue
    }
    if (route.schemes.length > 0 && !route.schemes.includes(scheme)) {
      if (isSent) for (const own of route.schemes) schemes.add(own)
      continue
    }
    if (!takesMethod) {
      for (const method of answeredMethods(route)) allow.add(method)
      continue
    }
    return { kind: 'match', candidate, hostValues }
  }
  return { kind: 'none', allow, schemes }
}

/** Whether a request of this method is sent to the route's own form when it is near. */
export function isRedirected({ route }: RouteEntry, method: string): boolean {
  if (route.redirect === 'none') return false
  return route.redirect === 'all' || method === 'GET' || method === 'HEAD'
}

/** Values of the host's parameters, or `null` when it is another host. */
export function matchHost(entry: RouteEntry, host: string): readonly (string | undefined)[] | null {
  const name = host.toLowerCase()
  if (entry.hostPattern !== null) return entry.hostPattern.exec(name)?.slice(1) ?? null
  return entry.hostName === null || entry.hostName === name ? noValues : null
}

/** A condition that throws takes nothing: finding a route never throws. */
export function meetsCondition({ route }: RouteEntry, context: RequestContext): boolean {
  if (route.condition === null) return true
  try {
    return route.condition(context)
  } catch {
    return false
  }
}

const noValues: readonly string[] = []
