// What a route is defined by.

import type { RequestContext } from '../http/request-context.ts'
import type { ParamDefault } from './path-pattern.ts'

/** Decides by anything about the request; runs after path, host and requirements took it. What it throws counts as `false`. */
export type RouteCondition = (context: RequestContext) => boolean

/** A path, or a path for each locale: `{ en: '/about-us', fr: '/a-propos' }`. */
export type RoutePath = string | Readonly<Record<string, string>>

/** Everything about a route but its name, path, methods and handler. */
export interface RouteOptions {
  /** Host pattern, `{shop}.example.org`. Default: any host. */
  readonly host?: string
  /** `https`, `http`. GET and HEAD of another scheme are sent to the first one. Default: any scheme. */
  readonly schemes?: readonly string[]
  /** JavaScript expressions that a parameter must match as a whole, by name. Default: one segment. */
  readonly requirements?: Readonly<Record<string, string>>
  /** Values of parameters that are left out, by name; also values for the handler that are no parameters. */
  readonly defaults?: Readonly<Record<string, ParamDefault>>
  /** Routes of a higher priority are asked first; within one priority the order of definition counts. Default: 0. */
  readonly priority?: number
  readonly condition?: RouteCondition
  /** Allows characters outside ASCII in path, host and requirements. Default: false. */
  readonly utf8?: boolean
  /**
   * Which methods are sent to the route's own form when only the trailing slash or the scheme is wrong: `safe`: GET and HEAD
   * with 301; `all`: every method with 308; `none`: the request is not taken. Default: `safe`.
   */
  readonly redirect?: 'safe' | 'all' | 'none'
  /**
   * Whether debug keeps the beginning of request bodies that the handler reads, for the error page and the profiler: secrets
   * are masked, 64 KB are kept at most. Outside debug nothing is kept. Default: false.
   */
  readonly captureBody?: boolean
}

/** What all routes of a group share. */
export interface GroupOptions {
  /** Put before the names: `blog_`. */
  readonly name?: string
  /** Put before the paths: `/blog`. A route of the path `''` is the prefix itself, one of `/` the prefix with a slash. */
  readonly path?: string
  /** Host of the routes that name none. */
  readonly host?: string
  /** Requirements and defaults; those of a route go before them. */
  readonly requirements?: Readonly<Record<string, string>>
  readonly defaults?: Readonly<Record<string, ParamDefault>>
}
