// The options of routes and groups, as the application writes them.

import type { HttpRequest } from '../base/http/request.ts'
import type { ParamDefault } from './path-pattern.ts'

/**
 * Filled by the layer that runs handlers: `interface RouteHandlerTypes<Params extends object, Valid extends ValidValues> { handler: … }`.
 * Empty where routing is used alone.
 */
// eslint-disable-next-line typescript/no-empty-object-type, no-unused-vars -- open for declaration merging
export interface RouteHandlerTypes<Params extends object, Valid extends ValidValues> {}

/** A handler of a route with these parameters: the kernel's, or any function of `{ params }` where routing is used alone. */
export type RouteHandler<Params extends object, Valid extends ValidValues = ValidValues> =
  RouteHandlerTypes<Params, Valid> extends { readonly handler: infer Handler }
    ? Handler
    : (exchange: { readonly params: Params }) => unknown

/** Any handler, as a route keeps it. */
export type AnyRouteHandler = (...args: never[]) => unknown

/** What the schemas of a route make of the request; `never` where a route has none, so that its handlers cannot name it. */
export interface ValidValues {
  /** Of the body as JSON. */
  readonly body: unknown
  /** Of the body as a form. */
  readonly form: unknown
  /** Of the query of the URL. */
  readonly query: unknown
  /** Of the parameters of the path. */
  readonly params: unknown
}

/**
 * Options around a handler, of routes and of groups. Filled by the layer that runs handlers; routing checks their form, and keeps them
 * as they are in `route.handlerOptions`. Empty where routing is used alone.
 */
// eslint-disable-next-line typescript/no-empty-object-type, no-unused-vars -- open for declaration merging
export interface HandlerOptions<Params extends object, Body, Form, Query, Values> {}

/** Options around any handler, as a route keeps them. */
export type AnyHandlerOptions = HandlerOptions<never, unknown, unknown, unknown, unknown>

/** Decides by anything about the request, once path, host and requirements match. One that throws counts as `false`. */
export type RouteCondition = (context: HttpRequest) => boolean

/** A path, or a path for each locale: `{ en: '/about-us', fr: '/a-propos' }`. */
export type RoutePath = string | Readonly<Record<string, string>>

/** Everything about a route but its name, path, methods and handler. */
export interface RouteOptions<
  Params extends object = Readonly<Record<string, string>>,
  Body = unknown,
  Form = unknown,
  Query = unknown,
  Values = unknown,
> extends HandlerOptions<Params, Body, Form, Query, Values> {
  /** Host pattern, `{shop}.example.org`. Default: any host. */
  readonly host?: string
  /** `https`, `http`. GET and HEAD of another scheme are sent to the first one. Default: any scheme. */
  readonly schemes?: readonly string[]
  /** JavaScript expressions that a parameter must match as a whole, by name. Default: one segment. */
  readonly requirements?: Readonly<Record<string, string>>
  /** Values of parameters that are left out, by name. Other names are passed to the handler as they are. */
  readonly defaults?: Readonly<Record<string, ParamDefault>>
  /** Higher priorities go first; within one priority the order of definition counts. Default: 0. */
  readonly priority?: number
  /** Takes the request only where it gives `true`; asked after path, host and method. */
  readonly condition?: RouteCondition
  /** Allows characters outside ASCII in path, host and requirements. Default: false. */
  readonly utf8?: boolean
  /**
   * Which methods are sent to the route's own form when only the trailing slash or the scheme is wrong: `safe`: GET and HEAD
   * with 301; `all`: every method with 308; `none`: the request is not taken. Default: `safe`.
   */
  readonly redirect?: 'safe' | 'all' | 'none'
  /**
   * Whether debug keeps the beginning of request bodies that the handler reads, for the error page and the profiler, and of response
   * bodies and of what is sent to other services and comes back for the profiler: secrets are masked, 64 KB are kept at most. Outside debug nothing is kept. Default: false.
   */
  readonly captureBody?: boolean
}

/** What all routes of a group share. */
export interface GroupOptions<
  Params extends object = Readonly<Record<string, string>>,
  Body = unknown,
  Form = unknown,
  Query = unknown,
  Values = unknown,
> extends HandlerOptions<Params, Body, Form, Query, Values> {
  /** Put before the names: `blog_`. */
  readonly name?: string
  /** Put before the paths: `/blog`. A route of the path `''` is the prefix itself, one of `/` the prefix with a slash. */
  readonly path?: string
  /** Host of the routes that name none. */
  readonly host?: string
  /** Requirements for every route; those of a route win. */
  readonly requirements?: Readonly<Record<string, string>>
  /** Values of parameters for every route; those of a route win. */
  readonly defaults?: Readonly<Record<string, ParamDefault>>
}
