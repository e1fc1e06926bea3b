// The request and its response: request line, headers, parameters, cookies, the bodies, sub-requests, and the
// redirects that led here.

import { partWithBodies } from '../profile-parts.ts'
import { HttpRequest } from '../../base/http/request.ts'
import { capturedBody, type CapturedBody } from '../../http/recording/captured-body.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type { RedirectStep, BuiltInCollector, RecordedChild, RequestRecord } from '../request-record.ts'

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
export function parameterFields(params: RequestRecord['params'], redactor: Redactor): Fields {
  return Object.entries(redactor.record(params)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
}
