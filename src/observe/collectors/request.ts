// The request and its response: request line, headers, parameters, cookies, the bodies, sub-requests, and the
// redirects that led here.

import { partWithBodies, cutList } from '../profile-parts.ts'
import { HttpRequest } from '../../base/http/request.ts'
import { capturedBody, type CapturedBody } from '../../http/recording/captured-body.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type {
  RedirectStep,
  BuiltInCollector,
  RecordedChild,
  RequestRecord,
  RouterMiss,
  RouterTraceEntry,
} from '../request-record.ts'
import { placeText } from '../../routing/errors.ts'
import type { Suggestion } from '../../routing/suggest-routes.ts'
import { counted } from '../../base/html/components.ts'
import { type Block, type Blocks, type Line, empty, facts, heading, note, place, table } from '../blocks/blocks.ts'
import { type DescribedPart, keptNote } from '../blocks/described-part.ts'

/** Names and values, masked. */
export type Fields = readonly (readonly [name: string, value: string])[]

export interface RequestData {
  readonly method: string
  /** Full URL with query, masked. */
  readonly url: string
  readonly path: string
  readonly scheme: string
  readonly host: string
  readonly clientAddress: string
  readonly peerAddress: string
  readonly handler: string
  readonly route: string | null
  readonly routeParameters: Fields
  readonly query: Fields
  readonly cookies: Fields
  readonly headers: Fields
  /** Absent if the request has none, and in profiles of versions that kept none. */
  readonly body?: CapturedBody
  readonly status: number
  readonly responseHeaders: Fields
  /** Absent where none is kept, or the response had none. */
  readonly responseBody?: CapturedBody
  /** Bytes of the body that left; `null` if the host has not said. */
  readonly bytes: number | null
  /** Whether the response broke off before its end. */
  readonly aborted: boolean
  readonly subRequests: readonly RecordedChild[]
  /** The redirects that led here, oldest first. Absent where there were none. */
  readonly redirectedBy?: readonly RedirectStep[]
}

export function requestCollector(redactor: Redactor): BuiltInCollector<RequestData> {
  return {
    name: partWithBodies,
    collect: ({ request, handler, route, params, response, sent, children, parts }) => {
      const context = new HttpRequest(request)
      return {
        method: context.method,
        url: redactor.url(context.fullUrl),
        path: redactor.url(context.path),
        scheme: context.scheme,
        host: context.authority,
        clientAddress: context.clientAddress,
        peerAddress: context.peerAddress,
        handler,
        route: route?.name ?? null,
        routeParameters: parameterFields(params, redactor),
        query: redactor.query(context.rawQuery),
        cookies: redactor.cookies(context.headerValues('cookie').join('; ')),
        headers: redactor.headers(context.rawHeaders),
        ...(parts.body === undefined ? {} : { body: capturedBody(parts.body, redactor) }),
        status: response?.status ?? 0,
        responseHeaders: redactor.responseHeaders(response?.headers ?? []),
        ...(parts.responseBody === undefined ? {} : { responseBody: capturedBody(parts.responseBody, redactor) }),
        bytes: sent?.bytes ?? null,
        aborted: sent?.aborted ?? false,
        subRequests: children,
        ...(parts.redirects?.length ? { redirectedBy: parts.redirects } : {}),
      }
    },
    cut: ({ body, responseBody, ...data }) => ({
      ...data,
      ...(body === undefined ? {} : { body: leftOut(body) }),
      ...(responseBody === undefined ? {} : { responseBody: leftOut(responseBody) }),
    }),
  }
}

function leftOut(body: CapturedBody): CapturedBody {
  return body.content === null ? body : { ...body, state: 'left-out', content: null }
}

/** The parameters of a route, masked; what is not text is JSON. */
function parameterFields(params: RequestRecord['params'], redactor: Redactor): Fields {
  return Object.entries(redactor.record(params)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
}

export interface RouterData extends RouterMiss {
  readonly path: string
  readonly method: string
  readonly route: string | null
  readonly pattern: string | null
  readonly definedAt: string | null
  readonly parameters: Fields
}

export function routerCollector(redactor: Redactor): BuiltInCollector<RouterData> {
  return {
    name: 'router',
    collect: ({ request, route, params, isSubRequest, parts }) => {
      if (isSubRequest) return undefined
      return {
        path: redactor.url(request.path),
        method: request.method,
        route: route?.name ?? null,
        pattern: route?.path ?? null,
        definedAt: placeText(route?.definedAt ?? null),
        parameters: parameterFields(params, redactor),
        ...(parts.miss ?? { trace: [], droppedRoutes: 0, suggestions: [] }),
      }
    },
    cut: (data, maxBytes) => {
      const trace = cutList(data.trace, maxBytes)
      return { ...data, trace, droppedRoutes: data.droppedRoutes + data.trace.length - trace.length }
    },
  }
}

/** The matched route, or for a miss every route with its reason, nearest first. */
export const routerPart: DescribedPart<RouterData> = {
  name: 'router',
  title: 'Routing',
  of: 'requests',
  empty: 'This is a sub-request; only its parent was routed.',
  draw: (data) => (data.route === null ? missed(data) : matched(data)),
}

function matched({ route, pattern, definedAt, parameters }: RouterData): Blocks {
  return [
    facts('Matched route', [
      ['Matched route', { recorded: route ?? '' }],
      ...(pattern === null || pattern === route ? [] : [['Pattern', { recorded: pattern }] as const]),
      // Unknown for what another framework registered before us.
      ...(definedAt === null ? [] : [['Defined at', { place: definedAt }] as const]),
    ]),
    ...(parameters.length === 0
      ? []
      : [
          heading('Route parameters'),
          facts(
            'Route parameters',
            parameters.map(([name, value]) => [{ recorded: name }, { recorded: value }]),
          ),
        ]),
  ]
}

/** Routes with another path that are listed. */
const maxOthers = 10

function missed({ method, path, suggestions, trace, droppedRoutes }: RouterData): Blocks {
  return [
    note(['No route matched', { code: `${method} ${path}` }]),
    ...nearbyBlocks(suggestions),
    keptNote(trace.length, droppedRoutes, 'routes'),
    ...askedRoutes(trace, 'closest first', maxOthers),
  ]
}

/** What would work in place of a request that no route takes. */
export function nearbyBlocks(suggestions: readonly Suggestion[]): Blocks {
  return suggestions.length === 0
    ? [empty('No route is close to the requested path.')]
    : [heading('Did you mean'), routeTable('Routes nearby', 'Request', suggestions, suggestionCells)]
}

/** What each route said that was asked. `most`: how many with another path are named. */
export function askedRoutes(trace: readonly RouterTraceEntry[], order: string, most: number): Blocks {
  if (trace.length === 0) return [heading('The application has no routes.')]
  const { near = [], others = [] } = Object.groupBy(trace, ({ outcome }) => (outcome === 'no' ? 'others' : 'near'))
  const folded = traceTable('Routes with a different path', others.slice(0, most))
  const count = `${others.length > most ? `${most} of ` : ''}${counted(others.length, 'route')}`
  return [
    near.length === 0 ? null : heading(`Checked ${counted(trace.length, 'route')}, ${order}`),
    traceTable('Routes with this path', near),
    folded && { kind: 'fold', title: `${count} with a different path, ${order}`, block: folded },
  ]
}

function traceTable(name: string, trace: readonly RouterTraceEntry[]): Block | null {
  return routeTable(name, 'Pattern', trace, ({ route, pattern, outcome, reason }) => [
    [{ recorded: route }, outcome === 'no' ? null : { mark: outcome, tone: outcomeTones[outcome] }],
    // Frameworks whose routes have no names call them `GET /orders`.
    route.endsWith(` ${pattern}`) ? null : { code: pattern },
    outcome === 'no' ? null : { recorded: reason },
  ])
}

const outcomeTones = { match: 'success', almost: 'warning' } as const

function suggestionCells({ routeName, method, url, pattern, reason }: Suggestion): readonly Line[] {
  const target = `${method} ${url ?? pattern}`
  return [
    routeName === target ? null : { recorded: routeName },
    // Only what a click can request is a link.
    method === 'GET' && url !== null ? { linked: target, to: url } : { code: target },
    { recorded: reason },
  ]
}

function routeTable<Entry extends { readonly definedAt: string | null }>(
  name: string,
  of: string,
  entries: readonly Entry[],
  cells: (entry: Entry) => readonly Line[],
): Block | null {
  const heads = ['Route', of, 'Why not', 'Defined at']
  const rows = entries.map((entry) => [...cells(entry), place(entry.definedAt)])
  return table(name, 'route', heads, rows)
}
