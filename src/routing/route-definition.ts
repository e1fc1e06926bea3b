// What a route table's type knows: names, patterns, and what the schemas of a route give.

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

/**
 * Names in a pattern as `name` (required) or `name?` (has an inline default) or `name??` (its default is nothing: `{x?}`); with a `#`
 * after the name for a number: `{x<int>}`.
 */
type Marked<Pattern extends string> = Pattern extends `${string}{${infer Rest}`
  ? Rest extends `!${infer Important}`
    ? MarkedAfterBrace<Important, ''>
    : MarkedAfterBrace<Rest, ''>
  : never

type MarkedAfterBrace<Rest extends string, Name extends string> = Rest extends `${infer Char}${infer Tail}`
  ? Char extends '}'
    ? Exclude<Name, ''> | Marked<Tail>
    : Char extends '?'
      ? MarkedDefault<Name, Tail>
      : Char extends '<'
        ? MarkedAfterRequirement<Name, Tail>
        : Char extends NoNameChar
          ? Marked<Tail>
          : MarkedAfterBrace<Tail, `${Name}${Char}`>
  : never

/** Characters that make a brace an ordinary character: `{x y}`. */
type NoNameChar = ' ' | '/' | '-' | '.' | ',' | ';' | ':' | '{' | '"'

type MarkedDefault<Name extends string, Rest extends string> = Rest extends `${infer Value}}${infer Tail}`
  ? (Value extends '' ? `${Name}??` : `${Name}?`) | Marked<Tail>
  : never

/** A requirement ends at the first `>` that `}` or a default follows. */
type MarkedAfterRequirement<
  Name extends string,
  Rest extends string,
> = Rest extends `int>${infer Tail extends `${'}' | '?'}${string}`}`
  ? MarkedRest<`${Name}#`, Tail>
  : MarkedAfterExpression<Name, Rest>

type MarkedAfterExpression<Name extends string, Rest extends string> = Rest extends `${string}>${infer Tail}`
  ? Tail extends `${'}' | '?'}${string}`
    ? MarkedRest<Name, Tail>
    : MarkedAfterExpression<Name, Tail>
  : never

type MarkedRest<Name extends string, Tail extends string> = Tail extends `}${infer Next}`
  ? Name | Marked<Next>
  : Tail extends `?${infer Default}`
    ? MarkedDefault<Name, Default>
    : never

/** The mark without what it says of a default. */
type PlainMark<Mark extends string> = Mark extends `${infer Name}??`
  ? Name
  : Mark extends `${infer Name}?`
    ? Name
    : Mark

type NameOf<Mark extends string> = WithoutHash<PlainMark<Mark>>

type WithoutHash<Plain extends string> = Plain extends `${infer Name}#` ? Name : Plain

type NumberMark = `${string}#` | `${string}#?` | `${string}#??`

type ValueOf<Mark extends string> =
  | (Mark extends NumberMark ? number : string)
  | (Mark extends `${string}??` ? null : never)

type RequiredMark<Mark extends string> = Mark extends `${string}?` ? never : Mark

/** Makes one flat object type, readable in an editor. */
type Flat<T> = { readonly [Key in keyof T]: T[Key] } & {}

/**
 * Parameters as a handler gets them: `Params<'/archive/{year<int>}/{month?}'>` is `{ year: number; month: string | null }`.
 * A path that is not a literal gives a record of strings.
 */
export type Params<Pattern extends string> = string extends Pattern
  ? Readonly<Record<string, string>>
  : Flat<{
      [Mark in Marked<Pattern> as NameOf<Mark>]: ValueOf<Mark>
    }>

/** What the URL generator takes for a parameter; `null` takes the default. */
type UrlParam = string | number | boolean | null

/** The same for a number: digits are one too. */
type UrlNumber = number | `${bigint}` | null

type UrlValueOf<Mark extends string> = Mark extends NumberMark ? UrlNumber : UrlParam

/** Parameters as the URL generator takes them: those with a default may be left out, further ones go to the query. */
export type UrlParams<Pattern extends string> = string extends Pattern
  ? Readonly<Record<string, unknown>>
  : Flat<
      { [Mark in RequiredMark<Marked<Pattern>> as NameOf<Mark>]: UrlValueOf<Mark> } & {
        [Mark in Exclude<Marked<Pattern>, RequiredMark<Marked<Pattern>>> as NameOf<Mark>]?: UrlValueOf<Mark>
      }
    >

/** Names of the parameters that a URL cannot do without. */
export type RequiredParamNames<Pattern extends string> = NameOf<RequiredMark<Marked<Pattern>>>
