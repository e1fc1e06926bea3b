// What a route table's type knows: names, patterns, and what the schemas of a route give.

import type { HttpRequest } from '../base/http/request.ts'
import type { ParamDefault } from './path-pattern.ts'
import { inspect } from 'node:util'
import {
  action,
  flag,
  isRecord,
  listOf,
  oneOf,
  text,
  wholeNumberRule,
  type OptionRule,
} from '../base/options/check-options.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { RouteDefinitionError, type DefinitionPlace } from './errors.ts'

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
   * Whether debug keeps the first 64 KB of request bodies that the handler reads, for the error page and the profiler, and of response
   * bodies and of what is sent to other services and comes back for the profiler, masked. Default: as `captureBodies` of the profiler.
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

/** Names and patterns that a collection is known to have; the URL generator checks names and parameters by them. */
export type RouteNames = Readonly<Record<string, string>>

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

/** Timers take no more. */
const maxMs = 2_147_483_647
const milliseconds: OptionRule = {
  allowed: `a whole number from 1 to ${maxMs}`,
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxMs,
}
const words = listOf('a list of strings', (word) => typeof word === 'string')
const record: OptionRule = { allowed: 'a record', fits: isRecord }
const texts: OptionRule = {
  allowed: 'a record of strings',
  fits: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
}
const schema: OptionRule = { allowed: 'a schema with the member ~standard', fits: hasStandard }

type Rules = Readonly<Record<string, OptionRule>>

/** Options around a handler, of routes and groups. */
const handlerRules: Rules = {
  guard: { allowed: 'a function; for a second guard put a group around it', fits: action.fits },
  listeners: listOf('a list of listeners', isRecord),
  errorFormat: {
    allowed: "'problem', 'html' or a function",
    fits: (value) => value === 'problem' || value === 'html' || typeof value === 'function',
  },
  maxBodyBytes: wholeNumberRule,
  timeoutMs: milliseconds,
  body: schema,
  form: schema,
  query: schema,
  params: schema,
}

export const groupRules: Rules = {
  ...handlerRules,
  name: text,
  path: text,
  host: text,
  requirements: texts,
  defaults: record,
}

export const routeRules: Rules = {
  ...groupRules,
  path: {
    allowed: 'a string, or a record of strings by locale',
    fits: (value) => typeof value === 'string' || isLocalized(value),
  },
  methods: words,
  schemes: words,
  handler: action,
  condition: action,
  priority: { allowed: 'a number', fits: Number.isFinite },
  redirect: { ...oneOf('safe', 'all', 'none'), allowed: "'safe', 'all' or 'none'" },
  utf8: flag,
  captureBody: flag,
}

const noOptions: readonly AnyHandlerOptions[] = Object.freeze([])

/** The options around the handlers of a group: those of the groups around it, then its own. Groups without any share the list. */
export function handlerOptionsOf(
  given: object,
  outer: readonly AnyHandlerOptions[] = noOptions,
): readonly AnyHandlerOptions[] {
  const own = Object.entries(given).filter(([name, value]) => Object.hasOwn(handlerRules, name) && value !== undefined)
  return own.length === 0 ? outer : [...outer, Object.fromEntries(own)]
}

/** Throws a `RouteDefinitionError` for the first member that is of another type, and for one of `required` that is missing. */
export function checkTypes(
  given: object,
  rules: Rules,
  definedAt: () => DefinitionPlace | null,
  required: readonly string[] = [],
): void {
  const members = new Map<string, unknown>(Object.entries(given))
  const routeName = members.get('name')
  for (const [name, { allowed, fits }] of Object.entries(rules)) {
    const value = members.get(name)
    if ((value === undefined && !required.includes(name)) || fits(value)) continue
    const shown = cutText(inspect(value, { depth: 1, breakLength: Infinity, compact: true }), 100)
    const mistake = { reason: `${name} must be ${allowed}.`, text: `${name}: ${shown}`, offset: name.length + 2 }
    throw new RouteDefinitionError(typeof routeName === 'string' ? routeName : '', mistake, definedAt())
  }
}

/** Schemas are objects, or functions with members. */
function hasStandard(value: unknown): boolean {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
}

function isLocalized(value: unknown): boolean {
  return isRecord(value) && texts.fits(value) && Object.keys(value).length > 0
}
