// The routes of the frameworks in one table, so that the routes page, near routes and reasons work for them.

import { RouteCollection, type AnyRoutes } from '../routing/route-collection.ts'
import { Route } from '../routing/route.ts'
import { type DefinitionPlace, placeText } from '../routing/errors.ts'
import { CallSites } from '../observe/call-site.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { empty } from '../base/http/reply.ts'
import type { Handler } from '../http/kernel/handler.ts'
import type { ListedRoute, Registered } from './integration.ts'
import type { Notes } from './notes.ts'
import type { RouteLists } from './route-lists.ts'

/** These register on behalf of those who call them. */
export const frameworks: RegExp = /\/node_modules\/(?:express|router|fastify|avvio|koa|@koa|hono|h3|@nestjs|tslib)\//

export class FrameworkRoutes {
  /** The routes of all applications. The kernel never serves them. */
  readonly table: AnyRoutes = new RouteCollection()
  readonly #lists: RouteLists
  readonly #notes: Notes
  readonly #sites: CallSites
  readonly #places = new WeakMap<Error, DefinitionPlace | null>()
  readonly #tables = new WeakMap<object, AnyRoutes>()
  #known = ''

  constructor(lists: RouteLists, notes: Notes, projectRoot: string) {
    this.#lists = lists
    this.#notes = notes
    this.#sites = new CallSites(projectRoot)
  }

  /** The routes that a request may mean: those of its application, or all where that is not known. */
  tableOf(request: HttpRequest): AnyRoutes {
    const application = this.#lists.applicationOf(request)
    return (application === undefined ? undefined : this.#tables.get(application)) ?? this.table
  }

  /** Where something was registered; `null` if it is unknown, or if only frameworks were on the stack. */
  placeOf({ registration }: Registered): DefinitionPlace | null {
    if (registration === undefined) return null
    const known = this.#places.get(registration)
    if (known !== undefined) return known
    const [, file, line] = /^(.*):(\d+)$/.exec(this.#sites.find(registration, frameworks) ?? '') ?? []
    const place = file === undefined ? null : { file, line: Number(line) }
    this.#places.set(registration, place)
    return place
  }

  /** What a function without a name is called, `/graphql (src/app.ts:12)`; empty if its place is unknown. */
  nameOf(registered: Registered): string {
    const place = placeText(this.placeOf(registered))
    return place === null ? '' : `${registered.path} (${place})`
  }

  /** Reads the lists again; routes may be added at any time. */
  refresh(): void {
    const lists: (readonly [application: object, listed: readonly ListedRoute[]])[] = []
    const written: string[] = []
    for (const [application, read] of this.#lists.readers()) {
      this.#notes.guard('The list of routes', () => {
        const listed = read()
        written.push(JSON.stringify(listed))
        lists.push([application, listed])
      })
    }
    const known = written.join('\n')
    if (known === this.#known) return
    this.#known = known
    this.table.replaceAll(this.#routesOf(lists.flatMap(([, listed]) => listed)))
    for (const [application, listed] of lists) {
      const table = this.#tables.get(application) ?? new RouteCollection()
      table.replaceAll(this.#routesOf(listed))
      this.#tables.set(application, table)
    }
  }

  #routesOf(listed: readonly ListedRoute[]): readonly Route[] {
    const names = new Set<string>()
    return listed.flatMap((route) => this.#notes.guard('A route', () => this.#routeOf(route, names)) ?? [])
  }

  #routeOf(listed: ListedRoute, names: Set<string>): Route | undefined {
    const { methods, path: writtenAs } = listed
    const name = freeName(listed, names)
    names.add(name)
    const handler = named(listed.handler || this.nameOf(listed) || 'unknown')
    const recordedAs = recordedName(listed)
    const parts = { name, methods, writtenAs, recordedAs, handler, definedAt: () => this.placeOf(listed) }
    try {
      return new Route({ ...parts, ...translatePattern(writtenAs) })
    } catch {
      // Listed as it is written; no path of a request is like it.
      const path = `/${writtenAs.replaceAll(/[{}]/g, '').replace(/^\/+/, '')}`
      return this.#notes.guard(`The route ${writtenAs}`, () => new Route({ ...parts, path }))
    }
  }
}

/** What profiles call a route: its path, if the framework has no name for it. */
export function recordedName({ name, path }: Pick<ListedRoute, 'name' | 'path'>): string {
  return name ?? path
}

/** `GET /orders/:id`, if the framework has no name for it; two routes of one name are told apart. */
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

/** A path in our syntax, with the requirements and defaults of its parameters. */
interface TranslatedPattern {
  readonly path: string
  readonly requirements?: Readonly<Record<string, string>>
  readonly defaults?: Readonly<Record<string, string>>
}

/**
 * Translates `:id`, `:id?`, `:id(\\d+)`, `:id{\\d+}`, `{/:id}`, `{id}`, `*`, `*rest`, `**` and `**:rest`. What it does not know stays as it is
 * written. Of a regular expression, `/^\/lots\/(\d+)$/`, the part after its last plain segment is a parameter.
 */
function translatePattern(written: string): TranslatedPattern {
  const expression = /^(.*?)\/\^((?:\\\/[\w.-]*)+?\\\/)([^\\].*?|\\[^/].*?)(\$?)\/([a-z]*)$/.exec(written)
  if (expression !== null) return translateExpression(expression)
  const requirements: Record<string, string> = {}
  const defaults: Record<string, string> = {}
  let unnamed = 0
  const name = (given: string | undefined): string => {
    const base = given === undefined || given === '' ? `rest${unnamed++ === 0 ? '' : unnamed}` : given
    return base.replaceAll('-', '_')
  }
  const rest = (given: string | undefined): string => {
    const known = name(given)
    requirements[known] = '.*'
    return `{${known}}`
  }
  // `{/:id}` of Express 5: a part that may be missing.
  const flat = written.replaceAll(/\{\/([:*])([\w-]+)\}/g, (_, kind: string, param: string) =>
    kind === '*' ? `/*${param}` : `/:${param}?`,
  )
  const path = flat.replaceAll(
    /\*\*(?::([\w-]+))?|\*([\w-]+)?|:([\w-]+)(?:\(([^()]*)\)|\{([^{}]*)\})?(\?|\*|\+)?/g,
    (_, ...parts: (string | undefined)[]) => {
      const [deep, wild, param, pattern, inBraces, mark] = parts
      if (param === undefined) return rest(deep ?? wild)
      if (mark === '*' || mark === '+') return rest(param)
      const known = name(param)
      const requirement = pattern ?? inBraces
      if (requirement !== undefined && requirement !== '') requirements[known] = requirement
      if (mark === '?') defaults[known] = ''
      return `{${known}}`
    },
  )
  return { path, requirements, defaults }
}

function translateExpression(found: RegExpExecArray): TranslatedPattern {
  const [, prefix = '', start = '', rest = '', end, flags = ''] = found
  const whole = end === '$' ? rest : `${rest}.*`
  const requirement = flags.includes('i') ? `(?i:${whole})` : whole
  return { path: `${prefix}${start.replaceAll('\\/', '/')}{rest}`, requirements: { rest: requirement } }
}
