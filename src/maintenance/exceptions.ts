// What stays open while the lock is closed: the option `except` of maintenance().

import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { describe } from '../base/options/check-options.ts'
import { isAmbiguous, isNamed, isTarget, routeOf, type ClosableRequest } from '../stores/lock/closure.ts'

/** For messages. */
export const exceptionsAllowed: string =
  'a list of paths ("/health/*"), routes ("route:health"), networks of clients ("10.0.0.0/8"), hosts ("host:admin.example") and "links"'

const hostPrefix = 'host:'

/** The exceptions, sorted by what they compare. */
export class Exceptions {
  /** Paths and routes. */
  readonly #targets: readonly string[]
  readonly #hosts: ReadonlySet<string>
  readonly #clients: TrustedProxies
  /** As they were given. */
  readonly entries: readonly string[]
  /** Whether links of the lock let their readers in. */
  readonly links: boolean

  /** Throws a TypeError for an entry that would never match. */
  constructor(entries: readonly string[] = []) {
    const refused = entries.find((entry) => !isException(entry))
    if (refused !== undefined) {
      throw new TypeError(`Option "except" of maintenance() has ${describe(refused)}; allowed: ${exceptionsAllowed}`)
    }
    this.entries = [...entries]
    this.#targets = entries.filter(isTarget)
    this.#hosts = new Set(entries.filter(isHost).map(hostOf))
    this.#clients = new TrustedProxies(entries.filter(isNetwork))
    this.links = entries.includes('links')
  }

  get routes(): readonly string[] {
    return this.#targets.map(routeOf).filter((name) => name !== undefined)
  }

  /** Whether a request is served. The application's table is asked only where an exception names a route. */
  admit(client: Pick<HttpRequest, 'host' | 'clientAddress'>, closable: ClosableRequest): boolean {
    if (this.#hosts.has(client.host) || this.#clients.isTrusted(client.clientAddress)) return true
    return this.#targets.length > 0 && !isAmbiguous(closable.path) && isNamed(this.#targets, closable)
  }
}

/** Whether an entry can match a request. */
function isException(entry: string): boolean {
  return isTarget(entry) || isHost(entry) || entry === 'links' || isNetwork(entry)
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
  const host = hostOf(entry)
  return entry.startsWith(hostPrefix) && /^[\w.:[\]-]+$/.test(host) && URL.parse(`http://${host}/`)?.hostname === host
}

function hostOf(entry: string): string {
  return entry.slice(hostPrefix.length).toLowerCase()
}
