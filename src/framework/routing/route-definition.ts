// What a route table's type knows: names, patterns, and what the schemas of a route give.

import type { Params } from './path-params.ts'
import type { RouteHandler, RouteOptions, RoutePath, ValidValues } from './route-options.ts'

/** Names and patterns that a collection is known to have; the URL generator checks names and parameters by them. */
export type RouteNames = Readonly<Record<string, string>>

/** The pattern, or the patterns of all locales. */
export type PatternOf<Path extends RoutePath> = Path extends string
  ? Path
  : Path extends object
    ? Path[keyof Path] & string
    : never

/** A whole route, for `RouteCollection.add`. */
export interface RouteDefinition<
  Name extends string,
  Path extends RoutePath,
  Prefix extends string,
  Body = unknown,
  Form = unknown,
  Query = unknown,
  Values = unknown,
> extends RouteOptions<ParamsOf<Prefix, Path>, Body, Form, Query, Values> {
  /** Unique in the table; a name that is used again replaces the earlier route. */
  readonly name: Name
  /** `/orders/{id}`, or one path for each locale. */
  readonly path: Path
  /** Gets the exchange and returns markup, a reply or a `Response`. */
  readonly handler: RouteHandler<ParamsOf<Prefix, Path>, Valid<Body, Form, Query, Values>>
  /** Default: any method. GET also takes HEAD. */
  readonly methods?: readonly string[]
}

/** Names of a group or mounted collection, as its parent sees them. */
export type Prefixed<Names extends RouteNames, NamePrefix extends string, PathPrefix extends string> = {
  readonly [Name in keyof Names & string as `${NamePrefix}${Name}`]: `${PathPrefix}${Names[Name]}`
}

/** Parameters of a path inside a group. */
export type ParamsOf<Prefix extends string, Path extends RoutePath> = Params<`${Prefix}${PatternOf<Path>}`>

/** What the schemas of a route give. */
export interface Valid<Body, Form, Query, Values> extends ValidValues {
  readonly body: Body
  readonly form: Form
  readonly query: Query
  readonly params: Values
}
