// The table of routes as the application writes it: definitions by method, groups, mounted and merged collections. Finding a
// route for a request is the matcher's, making URLs the generator's.

import { captureDefinitionPlace, checkAt, DefinitionFault, type DefinitionPlace } from './errors.ts'
import { checkTypes, groupRules, routeRules, handlerOptionsOf } from './route-definition.ts'
import type {
  ParamsOf,
  PatternOf,
  Prefixed,
  RouteDefinition,
  RouteNames,
  Valid,
  AnyRouteHandler,
  GroupOptions,
  RouteHandler,
  RouteOptions,
  RoutePath,
  ValidValues,
  AnyHandlerOptions,
} from './route-definition.ts'
import { Route, type RouteParts } from './route.ts'
import { inspect } from 'node:util'
import { isRecord, didYouMean, nearestName } from '../base/options/check-options.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { requirementType, requirementTypeNames, takeInlineParts } from './path-pattern.ts'
import { membersOf } from '../base/members.ts'

/** A route table, whatever names its type knows. */
export type AnyRoutes = RouteCollection<RouteNames>

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
    checkAt('', definedAt, () => checkNames('route', definition, Object.keys(routeRules)))
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
    this.#areas.push({ name: '', path: '', ...group.#frame }, ...group.#areas)
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
    checkTypes({ ...definition }, routeRules, definedAt, ['name', 'path', 'handler'])
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

const order = 'get(name, path, handler, options)'

/** Options of a route that the methods have as arguments. */
const given: ReadonlySet<string> = new Set(['name', 'path', 'handler', 'methods'])
const optionNames = Object.keys(routeRules).filter((name) => !given.has(name))

/** Throws a `DefinitionFault` for arguments of `get()`, `post()` … in another order or number. */
function checkArguments(all: readonly unknown[]): void {
  const [name, path, handler, options] = all
  const fail = (reason: string): never => {
    throw new DefinitionFault(reason, `(${cutText(all.map(shown).join(', '), 100)})`, 1)
  }
  if (typeof path === 'function') {
    const route = typeof name === 'string' && name.startsWith('/') ? nameFor(name) : 'users'
    const place = typeof name === 'string' && name.startsWith('/') ? name : '/users'
    fail(`the name is missing. A route is written ${order}: ('${route}', '${place}', handler).`)
  }
  if (typeof options === 'function' || typeof handler === 'object') {
    fail(`a route has one handler, and options after it: ${order}. What runs before a handler is the option guard.`)
  }
  if (all.length > 4) fail(`a route is written ${order}; there is no fifth argument.`)
  if (options !== undefined) checkNames('route', options, optionNames)
}

/** Throws a `DefinitionFault` for a promise: routes that are added later would be lost. */
function checkDefined(result: unknown): void {
  if (!(result instanceof Promise)) return
  throw new DefinitionFault('the function of a group adds its routes at once; it returned a promise.', 'async')
}

/** Throws a `DefinitionFault` for anything but a route table. */
function checkCollection(method: 'mount' | 'merge', isCollection: boolean, all: readonly unknown[]): void {
  if (isCollection) return
  const written = method === 'mount' ? "mount('/api', routes)" : 'merge(routes)'
  throw new DefinitionFault(`write ${written} with a RouteCollection.`, `(${all.map(shown).join(', ')})`, 1)
}

/** Throws a `DefinitionFault` for a requirement of a parameter that no path of the route has, and for schemas that exclude each other. */
function checkUse(definition: object, params: readonly string[]): void {
  const { requirements, methods, body, form } = definition as {
    readonly requirements?: Readonly<Record<string, string>>
    readonly methods?: readonly string[]
    readonly body?: unknown
    readonly form?: unknown
  }
  for (const [name, source] of Object.entries(requirements ?? {})) {
    if (params.includes(name)) continue
    throw new DefinitionFault(
      `the path has no parameter "${name}".${didYouMean(name, params)}`,
      `requirements: { ${name}: '${source}' }`,
      16,
    )
  }
  if (body !== undefined && form !== undefined) {
    throw new DefinitionFault('a body is read once: give the schema body for JSON, or form for a form.', 'body, form')
  }
  const isBodyless = methods?.every((method) => method.toUpperCase() === 'GET' || method.toUpperCase() === 'HEAD')
  if (isBodyless === true && methods?.length !== 0 && (body !== undefined || form !== undefined)) {
    throw new DefinitionFault('a GET request has no body; the schema of its query is the option query.', 'body')
  }
}

/** Throws a `DefinitionFault` for other arguments than options and a function. */
function checkGroup(options: unknown, define: unknown): void {
  if (typeof options === 'function' || typeof define !== 'function') {
    throw new DefinitionFault(
      "a group is written group({ path: '/blog' }, (blog) => blog.get(…)).",
      `(${shown(options)}, ${shown(define)})`,
      1,
    )
  }
  checkNames('group', options, Object.keys(groupRules))
}

/** Throws a `DefinitionFault` for what other routers call options, and for types that only a path can name. */
function checkNames(owner: 'route' | 'group', options: unknown, names: readonly string[]): void {
  if (!isRecord(options)) {
    throw new DefinitionFault(`the options of a ${owner} are an object.`, shown(options))
  }
  for (const [name, value] of Object.entries(options)) {
    if (names.includes(name)) continue
    const near = nearestName(name, names)
    const advice = near === null ? `Options are ${names.join(', ')}.` : `Did you mean "${near}"?`
    throw new DefinitionFault(`"${name}" is not an option of a ${owner} here. ${advice}`, `${name}: ${shown(value)}`)
  }
  const { requirements } = membersOf(options)
  for (const [name, source] of Object.entries(requirements ?? {})) {
    if (typeof source !== 'string' || requirementType(source) === undefined) continue
    throw new DefinitionFault(
      `types are written in the path, where TypeScript reads them too: {${name}<${source}>}.`,
      `${name}: '${source}'`,
    )
  }
}

/** `users_id` for `/users/{id}`. */
function nameFor(path: string): string {
  return path.match(/\w+/g)?.join('_') ?? 'home'
}

function shown(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'function' : value.name
  return cutText(inspect(value, { depth: 1, breakLength: Infinity, compact: true }), 60)
}

const parametersAreWritten = 'parameters are written {id}'

/** What to say of a part of a path. `#` means a parameter. */
const lookAlikes: readonly (readonly [RegExp, string])[] = [
  [/^[a-z][a-z0-9+.-]*:\/\//i, 'a path begins with a slash; scheme and host are the options schemes and host.'],
  [/\?[\w.[\]-]+=/, 'the query is not a part of the path; read it in the handler: exchange.request.query.'],
  [/(?<=^|\/):\w/, `${parametersAreWritten}; a colon that is text is written {colon<:>}.`],
  [
    /(?<=^|\/)\*/,
    String.raw`the rest of a path is written {path<path>}, one segment {name}; a star that is text is written {star<\*>}.`,
  ],
  [/\{\w+:/, String.raw`a requirement is written {id<\d+>}.`],
  [/\{(?:\*|\.\.\.)/, 'the rest of a path is written {path<path>}.'],
  [/\{[^}]*$/, `this brace is not closed; ${parametersAreWritten}.`],
  [
    /\{/,
    `${parametersAreWritten}, with a name of letters, digits and _; a brace that is text is written {brace<\\{>}.`,
  ],
  [/\}/, `this brace closes nothing; ${parametersAreWritten}, a brace that is text {brace<\\}>}.`],
]

/** Words that other routers have for requirements. Here they would be text. */
const foreignTypes: ReadonlySet<string> = new Set(
  'alnum,alpha,any,bool,boolean,datetime,decimal,digits,double,float,guid,integer,long,number,num,str,string'.split(
    ',',
  ),
)

/** Throws a `DefinitionFault` that says how the part is written here. */
function refuseLookAlikes(path: string): void {
  // Parameters keep their length, so that the caret shows the spot.
  const rest = path.replaceAll(/\{!?[\w\u0080-\uffff]+(?:<.*?>)?(?:\?[^}]*)?\}/g, (param) => '#'.repeat(param.length))
  for (const [pattern, advice] of lookAlikes) {
    const found = pattern.exec(rest)
    if (found !== null) throw new DefinitionFault(advice, path, found.index)
  }
  for (const [name, requirement] of Object.entries(takeInlineParts(path).requirements)) {
    if (!foreignTypes.has(requirement)) continue
    throw new DefinitionFault(
      `"${requirement}" matches only this word; the types are ${requirementTypeNames.join(', ')}, else write an expression.`,
      path,
      path.indexOf(name) + name.length + 1,
    )
  }
}

/** What the groups around a route give, put together. */
interface Frame extends Pick<GroupOptions, 'name' | 'path' | 'host' | 'requirements' | 'defaults'> {
  /** Options around handlers, the outermost group first. */
  readonly groupOptions?: readonly AnyHandlerOptions[]
}

/** Where the routes of a group are, and what is around their handlers. */
export interface Area extends Pick<RouteParts, 'name' | 'path' | 'host' | 'requirements' | 'groupOptions'> {}

/** Gives nothing. */
const noFrame: Frame = Object.freeze({})

function innerFrame(frame: Frame, options: GroupOptions<never>): Frame {
  const host = options.host ?? frame.host
  return {
    ...(host === undefined ? {} : { host }),
    name: (frame.name ?? '') + (options.name ?? ''),
    path: joinPath(frame.path ?? '', options.path ?? ''),
    requirements: { ...frame.requirements, ...options.requirements },
    defaults: { ...frame.defaults, ...options.defaults },
    groupOptions: handlerOptionsOf(options, frame.groupOptions),
  }
}

/** A route with what the frame gives, but for the path. */
function framed<Given extends Omit<RouteParts, 'path' | 'handler'>>(frame: Frame, given: Given): Given {
  if (frame === noFrame) return given
  return {
    ...given,
    ...(given.host === undefined && frame.host !== undefined ? { host: frame.host } : {}),
    name: (frame.name ?? '') + given.name,
    requirements: { ...frame.requirements, ...given.requirements },
    defaults: { ...frame.defaults, ...given.defaults },
    groupOptions: optionsAround(frame, given),
  }
}

function optionsAround(
  { groupOptions: outer = [] }: Frame,
  { groupOptions: inner = [] }: Pick<RouteParts, 'groupOptions'>,
): readonly AnyHandlerOptions[] {
  return inner.length === 0 ? outer : [...outer, ...inner]
}

/** `/blog` and `/{slug}` give `/blog/{slug}`; nothing stays nothing, so that an inner `''` is the prefix itself. */
function joinPath(prefix: string, path: string): string {
  const outer = prefix.trim().replaceAll(/^\/+|\/+$/g, '')
  if (outer === '') return path
  const inner = path.trim().replace(/^\/+/, '')
  return path.trim() === '' ? `/${outer}` : `/${outer}/${inner}`
}
