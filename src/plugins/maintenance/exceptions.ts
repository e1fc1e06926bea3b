// What stays open while the lock is closed: the option `except` of maintenance().

import { TrustedProxies } from '../../framework/http/trusted-proxies.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import { decodedValue, decodePath } from '../../framework/routing/decode-path.ts'
import { describe } from '../../framework/options/check-options.ts'
import { isNamed, isTarget, routeOf, type ClosableRequest } from './closure.ts'

/** For messages. */
export const exceptionsAllowed: string =
  'a list of paths ("/health/*"), routes ("route:health"), networks of clients ("10.0.0.0/8"), hosts ("host:admin.example") and "links"'

const hostPrefix = 'host:'

/** The exceptions, sorted by what they compare. */
export class Exceptions {
  /** Paths and routes. */
  readonly #targets: string[] = []
  readonly #hosts = new Set<string>()
  readonly #clients: TrustedProxies
  /** Whether links of the lock let their readers in. */
  readonly links: boolean

  /** Throws a TypeError for an entry that would never match. */
  constructor(entries: readonly string[] = []) {
    const networks: string[] = []
    for (const entry of entries) {
      if (isTarget(entry)) this.#targets.push(entry)
      else if (entry.startsWith(hostPrefix) && isHost(entry))
        this.#hosts.add(entry.slice(hostPrefix.length).toLowerCase())
      else if (entry !== 'links') networks.push(entry)
    }
    this.#clients = networksOf(networks)
    this.links = entries.includes('links')
  }

  /** Names of routes, as they were given. */
  get routes(): readonly string[] {
    return this.#targets.map(routeOf).filter((name) => name !== undefined)
  }

  /** Whether a request is served. The application's table is asked only where an exception names a route. */
  admit(request: HttpRequest, closable: ClosableRequest): boolean {
    if (this.#hosts.has(request.host) || this.#clients.isTrusted(request.clientAddress)) return true
    return this.#targets.length > 0 && !hasSteps(request.path) && isNamed(this.#targets, closable)
  }
}

/** Clients by address. */
function networksOf(networks: readonly string[]): TrustedProxies {
  const refused = networks.find((network) => !isNetwork(network))
  if (refused === undefined) return new TrustedProxies(networks)
  throw new TypeError(`Option "except" of maintenance() has ${describe(refused)}; allowed: ${exceptionsAllowed}`)
}

function isNetwork(entry: string): boolean {
  try {
    return !new TrustedProxies([entry]).isEmpty
  } catch {
    return false
  }
}

/** A name without port, as browsers send it: `admin.example`, `[::1]`. */
function isHost(entry: string): boolean {
  const host = entry.slice(hostPrefix.length).toLowerCase()
  return /^[\w.:[\]-]+$/.test(host) && URL.parse(`http://${host}/`)?.hostname === host
}

/** Whether a path has `..`, `%2F` or a backslash: what serves it may read it as another path. */
function hasSteps(path: string): boolean {
  return /[/\\]\.{1,2}(?:$|[/\\])|\\/.test(decodedValue(decodePath(path) ?? path)) || /%2f/i.test(path)
}
