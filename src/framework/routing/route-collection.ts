// The table of routes as the application writes it: definitions by method, groups, mounted and merged collections. Finding a
// route for a request is the matcher's, making URLs the generator's.

import { captureDefinitionPlace, RouteDefinitionError } from './definition-error.ts'
import { checkTypes, groupRules, routeRules } from './definition-types.ts'
import type { Params } from './path-params.ts'
import { Route } from './route.ts'
import type { AnyRouteHandler, GroupOptions, RouteHandler, RouteOptions, RoutePath } from './route.ts'

/** Names and patterns that a collection is known to have; the URL generator checks names and parameters by them. */
export type RouteNames = Readonly<Record<string, string>>

/** The pattern, or the patterns of all locales. */
export type PatternOf<Path extends RoutePath> = Path extends string
  ? Path
  : Path extends object
    ? Path[keyof Path] & string
    : never

export interface RouteDefinition<
  Name extends string,
  Path extends RoutePath,
  Prefix extends string,
> extends RouteOptions {
  readonly name: Name
  readonly path: Path
  readonly handler: RouteHandler<Params<`${Prefix}${PatternOf<Path>}`>>
  /** Default: any method. GET answers HEAD too. */
  readonly methods?: readonly string[]
}

/** Names of a group or mounted collection, as its parent sees them. */
export type Prefixed<Names extends RouteNames, NamePrefix extends string, PathPrefix extends string> = {
  readonly [Name in keyof Names & string as `${NamePrefix}${Name}`]: `${PathPrefix}${Names[Name]}`
}

type Added<
  Names extends RouteNames,
  Prefix extends string,
  Name extends string,
  Path extends RoutePath,
> = RouteCollection<Names & { readonly [Key in Name]: `${Prefix}${PatternOf<Path>}` }, Prefix>

const noFrame: GroupOptions = Object.freeze({})
const maxDepth = 100

/**
 * A table of routes. Every method that adds returns the collection with a type that knows the new names, so that
 * `new RouteCollection().get('product', '/products/{slug}', show)` gives typed URLs. A name that is used again replaces the
 * earlier route, at the later place.
 */
// eslint-disable-next-line typescript/no-empty-object-type -- nothing is known of an empty collection
export class RouteCollection<Names extends RouteNames = {}, Prefix extends string = ''> implements Iterable<Route> {
  /** Never set; carries the type. */
  declare readonly names?: Names
  #routes = new Map<string, Route>()
  #replaced: (readonly [earlier: Route, later: Route])[] = []
  #ordered: readonly Route[] | undefined
  #version = 0
  readonly #frame: GroupOptions
  #depth = 0

  constructor(frame: GroupOptions = noFrame) {
    this.#frame = frame
  }

  /** Grows with every change; matchers and generators look at it. */
  get version(): number {
    return this.#version
  }

  /** How many routes there are; a localized route counts once for each locale. */
  get size(): number {
    return this.#routes.size
  }

  /** All routes in the order in which they are asked: by priority, then by definition. */
  all(): readonly Route[] {
    this.#ordered ??= [...this.#routes.values()].sort((one, other) => other.priority - one.priority)
    return this.#ordered
  }

  /** A route by its name, with the locale for a localized one (`about.fr`), or `undefined`. */
  route(key: string): Route | undefined {
    return this.#routes.get(key)
  }

  /** Routes that a later one of the same name took the place of. */
  replaced(): readonly (readonly [earlier: Route, later: Route])[] {
    return this.#replaced
  }

  [Symbol.iterator](): Iterator<Route> {
    return this.all()[Symbol.iterator]()
  }

  /** Adds a route by its whole definition. Throws a `RouteDefinitionError` that shows the spot and the caller's file and line. */
  add<const Name extends string, const Path extends RoutePath>(
    definition: RouteDefinition<Name, Path, Prefix>,
  ): Added<Names, Prefix, Name, Path> {
    return this.#add(definition)
  }

  /** Adds a route for GET, which answers HEAD too: `routes.get('product', '/products/{slug}', show)`. */
  readonly get: AddRoute<Names, Prefix> = this.#adder(['GET'])
  readonly post: AddRoute<Names, Prefix> = this.#adder(['POST'])
  readonly put: AddRoute<Names, Prefix> = this.#adder(['PUT'])
  readonly patch: AddRoute<Names, Prefix> = this.#adder(['PATCH'])
  readonly delete: AddRoute<Names, Prefix> = this.#adder(['DELETE'])
  /** Adds a route for any method. */
  readonly any: AddRoute<Names, Prefix> = this.#adder()

  /** Adds the routes that `define` adds to the group, each with what the group shares. */
  group<const Group extends GroupOptions, Inner>(
    options: Group,
    define: (group: RouteCollection<{}, `${Prefix}${PathOf<Group>}`>) => Inner,
  ): RouteCollection<Names & GroupNames<Inner, Group>, Prefix> {
    checkTypes({ ...options }, groupRules, captureDefinitionPlace())
    if (this.#depth === maxDepth) {
      const mistake = { reason: 'groups are nested too deeply.', text: options.path ?? '', offset: 0 }
      throw new RouteDefinitionError(options.name ?? '', mistake, captureDefinitionPlace()())
    }
    const frame = this.#frame
    const group = new RouteCollection<{}, `${Prefix}${PathOf<Group>}`>({
      ...frame,
      ...options,
      name: (frame.name ?? '') + (options.name ?? ''),
      path: joinPath(frame.path ?? '', options.path ?? ''),
      requirements: { ...frame.requirements, ...options.requirements },
      defaults: { ...frame.defaults, ...options.defaults },
    })
    group.#depth = this.#depth + 1
    define(group)
    return this.merge(group).#known()
  }

  /** Adds the routes of another collection under a prefix, as they are now. */
  mount<const PathPrefix extends string, Others extends RouteNames>(
    prefix: PathPrefix,
    other: RouteCollection<Others>,
  ): RouteCollection<Names & Prefixed<Others, '', `${Prefix}${PathPrefix}`>, Prefix> {
    checkTypes({ path: prefix }, groupRules, captureDefinitionPlace())
    for (const route of Array.from(other.#routes.values())) {
      const { parts } = route
      this.#keep(
        new Route({ ...this.#shared(parts), path: joinPath(this.#frame.path ?? '', joinPath(prefix, parts.path)) }),
      )
    }
    return this.#known()
  }

  /** Adds the routes of another collection as they are now. */
  merge<Others extends RouteNames>(other: RouteCollection<Others, string>): RouteCollection<Names & Others, Prefix> {
    for (const route of Array.from(other.#routes.values())) this.#keep(route)
    this.#replaced.push(...other.#replaced)
    return this.#known()
  }

  /** Has these routes from now on, and no other ones. */
  replaceAll(routes: readonly Route[]): void {
    this.#routes = new Map()
    this.#replaced = []
    for (const route of routes) this.#keep(route)
    this.#ordered = undefined
    this.#version += 1
  }

  #adder(methods?: readonly string[]): AddRoute<Names, Prefix> {
    return (name, path, handler, options = {}) =>
      this.#add({ ...options, name, path, handler, ...(methods === undefined ? {} : { methods }) })
  }

  #add<Known extends RouteNames>(
    definition: RouteOptions & { name: string; path: RoutePath; methods?: readonly string[]; handler: unknown },
  ): RouteCollection<Known, Prefix> {
    const definedAt = captureDefinitionPlace()
    checkTypes({ ...definition }, routeRules, definedAt)
    const { path, handler, ...rest } = definition
    const parts = { ...this.#shared(rest), handler: handler as AnyRouteHandler, definedAt }
    const prefix = this.#frame.path ?? ''
    if (typeof path === 'string') this.#keep(new Route({ ...parts, path: joinPath(prefix, path) }))
    else {
      const routes = Object.entries(path).map(
        ([locale, own]) => new Route({ ...parts, path: joinPath(prefix, own), locale }),
      )
      for (const route of routes) this.#keep(route)
    }
    return this.#known()
  }

  #shared<Given extends RouteOptions & { readonly name: string }>(given: Given): Given {
    const { name = '', host, requirements, defaults } = this.#frame
    if (this.#frame === noFrame) return given
    return {
      ...given,
      ...(given.host === undefined && host !== undefined ? { host } : {}),
      name: name + given.name,
      requirements: { ...requirements, ...given.requirements },
      defaults: { ...defaults, ...given.defaults },
    }
  }

  #keep(route: Route): void {
    const earlier = this.#routes.get(route.key)
    if (earlier !== undefined) {
      this.#replaced.push([earlier, route])
      this.#routes.delete(route.key)
    }
    this.#routes.set(route.key, route)
    this.#ordered = undefined
    this.#version += 1
  }

  /** The same collection; only its type learns. Types cannot follow what a method adds to `this`. */
  #known<Known extends RouteNames>(): RouteCollection<Known, Prefix> {
    return this as RouteCollection<RouteNames, Prefix> as RouteCollection<Known, Prefix>
  }
}

type PathOf<Group extends GroupOptions> = Group extends { readonly path: infer Path extends string } ? Path : ''

type NameOf<Group extends GroupOptions> = Group extends { readonly name: infer Name extends string } ? Name : ''

type GroupNames<Inner, Group extends GroupOptions> =
  Inner extends RouteCollection<infer Names, string> ? Prefixed<Names, NameOf<Group>, ''> : {}

type AddRoute<Names extends RouteNames, Prefix extends string> = <
  const Name extends string,
  const Path extends RoutePath,
>(
  name: Name,
  path: Path,
  handler: RouteHandler<Params<`${Prefix}${PatternOf<Path>}`>>,
  options?: RouteOptions,
) => Added<Names, Prefix, Name, Path>

/** `/blog` and `/{slug}` give `/blog/{slug}`; nothing stays nothing, so that an inner `''` is the prefix itself. */
function joinPath(prefix: string, path: string): string {
  const outer = prefix.trim().replaceAll(/^\/+|\/+$/g, '')
  if (outer === '') return path
  const inner = path.trim().replace(/^\/+/, '')
  return path.trim() === '' ? `/${outer}` : `/${outer}/${inner}`
}
