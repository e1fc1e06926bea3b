// The routes of the frameworks in one table of ours, so that the routes page, near routes and reasons work for them.

import { RouteCollection } from '../framework/routing/route-collection.ts'
import { Route } from '../framework/routing/route.ts'
import type { AnyRoutes } from '../app/plugin.ts'
import { empty } from '../framework/http/reply.ts'
import type { Handler } from '../framework/kernel/handler.ts'
import type { ListedRoute } from './integration.ts'
import type { Notes } from './notes.ts'
import { translatePattern } from './translate-pattern.ts'

export class FrameworkRoutes {
  /** What the profiler looks at. The kernel never serves these routes. */
  readonly table: AnyRoutes = new RouteCollection()
  readonly #readers = new Map<object, () => readonly ListedRoute[]>()
  readonly #notes: Notes
  #known = ''

  constructor(notes: Notes) {
    this.#notes = notes
  }

  add(application: object, read: () => readonly ListedRoute[]): void {
    this.#readers.set(application, read)
  }

  /** Whether any framework told its routes. */
  get isEmpty(): boolean {
    return this.#readers.size === 0
  }

  /** Reads the lists again; routes may be added at any time. */
  refresh(): void {
    const listed: ListedRoute[] = []
    for (const read of this.#readers.values()) {
      this.#notes.guard('The list of routes', () => listed.push(...read()))
    }
    const known = JSON.stringify(listed)
    if (known === this.#known) return
    this.#known = known
    const names = new Set<string>()
    this.table.replaceAll(listed.flatMap((route) => this.#routeOf(route, names) ?? []))
  }

  #routeOf(listed: ListedRoute, names: Set<string>): Route | undefined {
    const { methods, path: writtenAs } = listed
    const name = freeName(listed, names)
    names.add(name)
    const parts = { name, methods, writtenAs, handler: named(listed.handler ?? name) }
    try {
      return new Route({ ...parts, ...translatePattern(writtenAs) })
    } catch {
      // Listed as it is written; no path of a request is like it.
      const path = `/${writtenAs.replaceAll(/[{}]/g, '').replace(/^\/+/, '')}`
      let route: Route | undefined
      this.#notes.guard(`The route ${writtenAs}`, () => (route = new Route({ ...parts, path })))
      return route
    }
  }
}

/** `GET /orders/:id`, where the framework has no name for it; two routes of one name are told apart. */
function freeName({ name, methods, path }: ListedRoute, taken: ReadonlySet<string>): string {
  const wanted = name ?? (methods.length === 0 ? path : `${methods.join('|')} ${path}`)
  let free = wanted
  for (let count = 2; taken.has(free); count += 1) free = `${wanted} (${count})`
  return free
}

/** A handler that only has the name: the framework runs its own. */
function named(name: string): Handler {
  return Object.defineProperty(() => empty(), 'name', { value: name })
}
