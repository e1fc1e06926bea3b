// The table of routes as the application writes it: definitions by method, groups, mounted and merged collections. Finding a
// route for a request is the matcher's, making URLs the generator's.

import {
  checkArguments,
  checkCollection,
  checkDefined,
  checkDefinition,
  checkGroup,
  checkUse,
} from './definition-calls.ts'
import { captureDefinitionPlace, checkAt, DefinitionFault, type DefinitionPlace } from './definition-error.ts'
import { checkTypes, groupRules, routeRules } from './definition-types.ts'
import { areaOf, framed, innerFrame, joinPath, noFrame, optionsAround, type Area, type Frame } from './group-frame.ts'
import { refuseLookAlikes } from './look-alikes.ts'
import type { ParamsOf, PatternOf, Prefixed, RouteDefinition, RouteNames, Valid } from './route-definition.ts'
import type {
  AnyRouteHandler,
  GroupOptions,
  RouteHandler,
  RouteOptions,
  RoutePath,
  ValidValues,
} from './route-options.ts'
import { Route } from './route.ts'

type Added<
  Names extends RouteNames,
  Prefix extends string,
  Shared extends ValidValues,
  Name extends string,
  Path extends RoutePath,
> = RouteCollection<Names & { readonly [Key in Name]: `${Prefix}${PatternOf<Path>}` }, Prefix, Shared>

const maxDepth = 100

/**
 * A table of routes. Every method that adds returns the collection with a type that knows the new names, so that
 * `new RouteCollection().get('product', '/products/{slug}', show)` gives typed URLs. A name that is used again replaces the
 * earlier route, at the later place.
 */
export class RouteCollection<
  // eslint-disable-next-line typescript/no-empty-object-type -- nothing is known of an empty collection
  Names extends RouteNames = {},
  Prefix extends string = '',
  Shared extends ValidValues = Record<keyof ValidValues, never>,
> implements Iterable<Route> {
  /** Never set; carries the type. */
  declare readonly names?: Names
  #routes = new Map<string, Route>()
  #replaced: (readonly [earlier: Route, later: Route])[] = []
  #areas: Area[] = []
  #ordered: readonly Route[] | undefined
  #version = 0
  #frame: Frame = noFrame
  #depth = 0

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

  /** Routes that a later one of the same name has replaced. */
  replaced(): readonly (readonly [earlier: Route, later: Route])[] {
    return this.#replaced
  }

  /** The groups, in the order in which they were added, inner ones after their outer one. */
  areas(): readonly Area[] {
    return this.#areas
  }

  [Symbol.iterator](): Iterator<Route> {
    return this.all()[Symbol.iterator]()
  }

  /** Adds a route by its whole definition. Throws a `RouteDefinitionError` that shows the spot and the caller's file and line. */
  add<
    const Name extends string,
    const Path extends RoutePath,
    Body = Shared['body'],
    Form = Shared['form'],
    Query = Shared['query'],
    Values = Shared['params'],
  >(
    definition: RouteDefinition<Name, Path, Prefix, Body, Form, Query, Values>,
  ): Added<Names, Prefix, Shared, Name, Path> {
    const definedAt = captureDefinitionPlace()
    checkAt('', definedAt, () => checkDefinition(definition))
    return this.#add(definition, definedAt)
  }

  /** Adds a route for GET, which also takes HEAD: `routes.get('product', '/products/{slug}', show)`. */
  readonly get: AddRoute<Names, Prefix, Shared> = this.#adder(['GET'])
  /** Adds a route for POST. */
  readonly post: AddRoute<Names, Prefix, Shared> = this.#adder(['POST'])
  /** Adds a route for PUT. */
  readonly put: AddRoute<Names, Prefix, Shared> = this.#adder(['PUT'])
  /** Adds a route for PATCH. */
  readonly patch: AddRoute<Names, Prefix, Shared> = this.#adder(['PATCH'])
  /** Adds a route for DELETE. */
  readonly delete: AddRoute<Names, Prefix, Shared> = this.#adder(['DELETE'])
  /** Adds a route for any method. */
  readonly any: AddRoute<Names, Prefix, Shared> = this.#adder()

  /** Adds the routes that `define` adds to the group, each with what the group shares. */
  group<
    Inner,
    const Name extends string = '',
    const Path extends string = '',
    Body = Shared['body'],
    Form = Shared['form'],
    Query = Shared['query'],
    Values = Shared['params'],
  >(
    options: GroupOptions<ParamsOf<Prefix, NoInfer<Path>>, Body, Form, Query, Values> & {
      readonly name?: Name
      readonly path?: Path
    },
    define: (group: RouteCollection<{}, `${Prefix}${Path}`, Valid<Body, Form, Query, Values>>) => Inner,
  ): RouteCollection<Names & Prefixed<NamesOf<Inner>, Name, ''>, Prefix, Shared> {
    const definedAt = captureDefinitionPlace()
    checkAt('', definedAt, () => checkGroup(options, define))
    checkTypes({ ...options }, groupRules, definedAt)
    const { name = '', path = '' } = options
    checkAt(name, definedAt, () => {
      refuseLookAlikes(path)
      checkUse({ ...options, requirements: {} }, [])
      if (this.#depth === maxDepth) throw new DefinitionFault('groups are nested too deeply.', path)
    })
    const group = new RouteCollection<{}, `${Prefix}${Path}`, Valid<Body, Form, Query, Values>>()
    group.#depth = this.#depth + 1
    group.#frame = innerFrame(this.#frame, options)
    const result = define(group)
    checkAt(name, definedAt, () => checkDefined(result))
    this.#take(group.#routes.values(), group.#replaced)
    this.#areas.push(areaOf(group.#frame), ...group.#areas)
    return this.#known()
  }

  /** Adds the routes of another collection under a prefix, as they are now. */
  mount<const PathPrefix extends string, Others extends RouteNames>(
    prefix: PathPrefix,
    other: RouteCollection<Others>,
  ): RouteCollection<Names & Prefixed<Others, '', `${Prefix}${PathPrefix}`>, Prefix, Shared> {
    const definedAt = captureDefinitionPlace()
    checkAt('', definedAt, () => checkCollection('mount', other instanceof RouteCollection, [prefix, other]))
    checkTypes({ path: prefix }, groupRules, definedAt)
    checkAt('', definedAt, () => refuseLookAlikes(prefix))
    const mounted = <Parts extends Area>(parts: Parts): Parts => ({
      ...framed(this.#frame, parts),
      path: joinPath(this.#frame.path ?? '', joinPath(prefix, parts.path)),
    })
    for (const { parts } of Array.from(other.#routes.values())) this.#keep(new Route(mounted(parts)))
    this.#areas.push(...other.#areas.map(mounted))
    return this.#known()
  }

  /** Adds the routes of another collection as they are now. In a group they get its options around handlers, but not its name and path. */
  merge<Others extends RouteNames>(
    other: RouteCollection<Others, string>,
  ): RouteCollection<Names & Others, Prefix, Shared> {
    const isCollection = other instanceof RouteCollection
    checkAt('', captureDefinitionPlace(), () => checkCollection('merge', isCollection, [other]))
    const frame = this.#frame
    const routes = Array.from(other.#routes.values(), (route) =>
      frame.groupOptions === undefined
        ? route
        : new Route({ ...route.parts, groupOptions: optionsAround(frame, route.parts) }),
    )
    this.#take(routes, other.#replaced)
    this.#areas.push(...other.#areas.map((area) => ({ ...area, groupOptions: optionsAround(frame, area) })))
    return this.#known()
  }

  /** Has these routes from now on, and no other ones. */
  replaceAll(routes: readonly Route[]): void {
    this.#routes = new Map()
    this.#replaced = []
    this.#areas = []
    for (const route of routes) this.#keep(route)
    this.#ordered = undefined
    this.#version += 1
  }

  #adder(methods?: readonly string[]): AddRoute<Names, Prefix, Shared> {
    return (...all) => {
      const definedAt = captureDefinitionPlace()
      const [name, path, handler, options] = all
      checkAt(typeof path === 'function' ? '' : name, definedAt, () => checkArguments(all))
      return this.#add({ ...options, name, path, handler, ...(methods === undefined ? {} : { methods }) }, definedAt)
    }
  }

  #add<Known extends RouteNames>(
    definition: RouteOptions<never> & { name: string; path: RoutePath; methods?: readonly string[]; handler: unknown },
    definedAt: () => DefinitionPlace | null,
  ): RouteCollection<Known, Prefix, Shared> {
    checkTypes({ ...definition }, routeRules, definedAt)
    const { path, handler, ...rest } = definition
    const parts = { ...framed(this.#frame, rest), handler: handler as AnyRouteHandler, definedAt }
    const paths =
      typeof path === 'string' ? [{ path }] : Object.entries(path).map(([locale, own]) => ({ locale, path: own }))
    checkAt(definition.name, definedAt, () => paths.forEach((one) => refuseLookAlikes(one.path)))
    const prefix = this.#frame.path ?? ''
    const routes = paths.map((one) => new Route({ ...parts, ...one, path: joinPath(prefix, one.path) }))
    checkAt(definition.name, definedAt, () =>
      checkUse(
        definition,
        routes.flatMap(({ paramNames }) => paramNames),
      ),
    )
    for (const route of routes) this.#keep(route)
    return this.#known()
  }

  #take(routes: Iterable<Route>, replaced: readonly (readonly [earlier: Route, later: Route])[]): void {
    for (const route of Array.from(routes)) this.#keep(route)
    this.#replaced.push(...replaced)
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
  #known<Known extends RouteNames>(): RouteCollection<Known, Prefix, Shared> {
    return this as RouteCollection<RouteNames, Prefix, Shared> as RouteCollection<Known, Prefix, Shared>
  }
}

type NamesOf<Inner> = Inner extends RouteCollection<infer Names, string> ? Names : {}

/** Adds a route: its name, path, handler and options. */
type AddRoute<Names extends RouteNames, Prefix extends string, Shared extends ValidValues> = <
  const Name extends string,
  const Path extends RoutePath,
  Body = Shared['body'],
  Form = Shared['form'],
  Query = Shared['query'],
  Values = Shared['params'],
>(
  name: Name,
  path: Path,
  handler: RouteHandler<ParamsOf<Prefix, Path>, Valid<Body, Form, Query, Values>>,
  options?: RouteOptions<ParamsOf<Prefix, Path>, Body, Form, Query, Values>,
) => Added<Names, Prefix, Shared, Name, Path>
