// The options around a handler, of routes and groups, where the innermost one counts, with the form of error responses; and the interface
// that validators share (https://standardschema.dev): Valibot, Zod, ArkType and others have it.

import type { ProblemMembers } from '../../base/http/http-error.ts'
import type { Reply } from '../../base/http/reply.ts'
import type { ParamValue, HttpRequest } from '../../base/http/request.ts'
import type { Awaitable } from '../../base/members.ts'
import type { Exchange } from './exchange.ts'
import type { Listener } from './listener.ts'
import type { AnyHandlerOptions, RouteNames } from '../../routing/route-definition.ts'
import { type Area, RouteCollection } from '../../routing/route-collection.ts'
import { UrlMatcher } from '../../routing/url-matcher.ts'

declare module '../../routing/route-definition.ts' {
  interface HandlerOptions<Params extends object, Body, Form, Query, Values> {
    /** Runs before the handler, and before the body is read. Guards of groups run first, the outermost first. Default: none. */
    // A method, so that one guard fits routes with different parameters.
    guard?(exchange: Exchange<Params>): Awaitable<Reply | void>
    /**
     * Take part in the requests of these routes, inside the listeners of the application and of outer groups. They cannot have `onRequest`.
     * Default: none.
     */
    readonly listeners?: readonly Listener[]
    /** Form of error responses. Default: that of the group around it, then of the application. */
    readonly errorFormat?: ErrorFormat
    /** Largest request body in bytes; 413 beyond it. The innermost one counts. Default: that of the application. */
    readonly maxBodyBytes?: number
    /**
     * How long guards, validation and handler may run until there is a reply, in milliseconds; 503 after it, and `exchange.signal` is
     * aborted. The innermost one counts. Default: no limit.
     */
    readonly timeoutMs?: number
    /** Schema of a JSON body: `exchange.valid.body` is what it gives. Default: the body is not read. */
    readonly body?: StandardSchema<Body>
    /** Schema of the fields of a form, which is then read in place of JSON: `exchange.valid.form`. */
    readonly form?: StandardSchema<Form>
    /** Schema of the query as a record; a name that is repeated gives a list: `exchange.valid.query`. */
    readonly query?: StandardSchema<Query>
    /** Schema of the parameters of the path: `exchange.valid.params`. */
    readonly params?: StandardSchema<Values>
  }
}

/** Lets a request through by returning nothing; refuses it by returning a `Reply` or by throwing. */
export type Guard<Params extends object = Readonly<Record<string, ParamValue>>> = (
  exchange: Exchange<Params>,
) => Awaitable<Reply | void>

/** The option as the route gives it, or the innermost group that does; `undefined` if nobody gives it. */
export function innermost<Name extends keyof AnyHandlerOptions>(
  options: readonly AnyHandlerOptions[],
  name: Name,
): AnyHandlerOptions[Name] | undefined {
  for (let index = options.length - 1; index >= 0; index -= 1) {
    const value = options[index]?.[name]
    if (value !== undefined) return value
  }
  return undefined
}

/** A schema of any validator with the member `~standard`. `Output` is what it makes of a valid value. */
export interface StandardSchema<Output = unknown> {
  /** What the validator offers to others, in version 1 of the interface. */
  readonly '~standard': {
    readonly version: 1
    /** `zod`, `valibot` … */
    readonly vendor: string
    readonly validate: (value: unknown) => Awaitable<StandardResult<Output>>
  }
}

/** What a validator says: the value, with defaults and conversions, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** What is wrong with a value, and where in it. */
export interface StandardIssue {
  /** What is wrong, for the client. */
  readonly message: string
  /** Keys from the value down to the wrong part. Default: the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Finds the format of a failed request; `undefined`: `Accept` decides. One without a route gets that of the innermost group whose path it is
 * below.
 */
export function errorFormats(
  areas: readonly Area[],
  ofApplication: ErrorFormat | undefined,
): (failed: Exchange) => ErrorFormat | undefined {
  const ofPath = formatsOfPaths(areas)
  return ({ route, request }) =>
    (route === undefined ? ofPath(request) : innermost(route.handlerOptions ?? [], 'errorFormat')) ?? ofApplication
}

/** Looks paths up in a table that has a route for everything below each group. */
function formatsOfPaths(areas: readonly Area[]): (request: HttpRequest) => ErrorFormat | undefined {
  const formats = new Map<string, ErrorFormat>()
  const table: RouteCollection<RouteNames> = new RouteCollection()
  const handler = (): never => {
    throw new Error('Nothing is served here')
  }
  for (const [index, { path, host = '', requirements = {}, groupOptions = [] }] of areas.entries()) {
    const format = innermost(groupOptions, 'errorFormat')
    // A group without path and host is nowhere in particular.
    if (format === undefined || (path === '' && host === '')) continue
    const shared = {
      host,
      requirements,
      handler,
      utf8: true,
      redirect: 'none',
      priority: path.split('/').length,
    } as const
    for (const own of [path, `${path}/{_below<.*>}`]) {
      const name = `${own} of group ${index}`
      formats.set(name, format)
      table.add({ ...shared, name, path: own })
    }
  }
  if (formats.size === 0) return () => undefined
  const matcher = new UrlMatcher(table)
  return (request) => {
    const found = matcher.find(request)
    return found.kind === 'match' ? formats.get(found.route.name) : undefined
  }
}

/** A problem document (RFC 9457). */
export interface ProblemDocument extends ProblemMembers {
  /** A URI of the kind of problem; `about:blank` if the status says it all. */
  readonly type: string
  /** The kind of problem in a few words; the reason phrase by default. */
  readonly title: string
  /** The status of the response. */
  readonly status: number
  /** Also in the log line. */
  readonly reference: string
  /** What only those see who may open profiles, in debug: messages, traces, hints. */
  readonly debug?: Readonly<Record<string, unknown>>
}

/** What may be sent of an error. */
export interface ErrorSummary {
  /** 400 to 599. */
  readonly statusCode: number
  /** Reason phrase: `Not Found`. */
  readonly statusText: string
  /** Also in the log line. */
  readonly reference: string
  /** The document that the format `problem` sends. */
  readonly problem: ProblemDocument
}

/**
 * Makes the response to an error: `({ problem }) => json({ error: problem.title })`. `failed` is the failed request, with
 * `failure.thrown`. The response gets the status of the error, and the header fields of error responses that it does not name.
 */
export type ErrorFormatter = (error: ErrorSummary, failed: Exchange) => Awaitable<Reply>

/** `problem`: always a problem document; `html`: always a page. */
export type ErrorFormat = 'problem' | 'html' | ErrorFormatter

/** Throws a TypeError that names the place, `errorFormat of createApp`, for anything but an error format or `undefined`. */
export function checkErrorFormat(place: string, value: unknown): ErrorFormat | undefined {
  if (value === undefined || value === 'problem' || value === 'html') return value
  if (typeof value === 'function') return value as ErrorFormatter
  const given = typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : typeof value
  throw new TypeError(`${place} is ${given}; allowed: "problem", "html", or a function that returns a Reply`)
}
