// What the client asked and what it got: request line, headers, parameters, cookies, the body as far as the route opts in,
// answer, sub-requests, redirects that led here.

import type { HttpRequest } from '../../framework/http/request.ts'
import type { CapturedBody } from '../../framework/recording/captured-body.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import { bodyName } from '../body-keeper.ts'
import { redirectsName, type RedirectStep } from '../redirect-step.ts'
import type { RecordCollector } from '../request-record.ts'

/** Names and values, masked. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A sub-request, as its parent names it. */
export interface SubRequest {
  readonly token: string
  readonly handler: string
  readonly status: number
  readonly durationMs: number
}

/** Facts of request and response. */
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
  /** Absent where the request has none, and in profiles of versions that kept none. */
  readonly body?: CapturedBody
  readonly status: number
  readonly responseHeaders: Fields
  /** Bytes of the body that left; `null` where the host has not said. */
  readonly bytes: number | null
  /** Whether the answer broke off before its end. */
  readonly aborted: boolean
  readonly subRequests: readonly SubRequest[]
  /** The redirects that led here, oldest first. Absent where there were none. */
  readonly redirectedBy?: readonly RedirectStep[]
}

/** Gathers request and response. */
export function requestCollector(redactor: Redactor): RecordCollector<RequestData> {
  const fieldsOf = rememberedFields(redactor)
  return {
    name: 'request',
    reads: [bodyName, redirectsName],
    collect: (exchange) => {
      // Only the keeper of bodies keeps something under the name.
      const body = exchange.recording?.kept(bodyName) as CapturedBody | undefined
      // Only what follows redirects keeps something under the name.
      const redirectedBy = exchange.recording?.kept(redirectsName) as readonly RedirectStep[] | undefined
      const { context, reply, sent, params } = exchange
      return {
        method: context.method,
        url: redactor.url(context.fullUrl),
        path: redactor.text(context.path),
        scheme: context.scheme,
        host: context.authority,
        clientAddress: context.clientAddress,
        peerAddress: context.peerAddress,
        handler: exchange.handlerName,
        route: exchange.route?.name ?? null,
        routeParameters: Object.entries(redactor.record(params)).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
        query: redactor.query(context.rawQuery),
        ...fieldsOf(context),
        ...(body === undefined ? {} : { body }),
        status: reply?.status ?? 0,
        responseHeaders: redactor.responseHeaders(reply?.headers ?? []),
        bytes: sent?.bytes ?? null,
        aborted: sent?.aborted ?? false,
        subRequests: exchange.children.map((child) => ({
          token: child.recording?.token ?? '',
          handler: child.handlerName,
          status: child.reply?.status ?? 0,
          durationMs: child.recording?.durationMs ?? 0,
        })),
        ...(redirectedBy === undefined ? {} : { redirectedBy }),
      }
    },
  }
}

type ClientFields = Pick<RequestData, 'cookies' | 'headers'>

/** What a client sends with each request is masked once: facts of requests in a row that have the same fields have one list. */
function rememberedFields(redactor: Redactor): (context: HttpRequest) => ClientFields {
  let raw: readonly string[] | undefined
  let fields: ClientFields = { cookies: [], headers: [] }
  return (context) => {
    if (context.rawHeaders === raw) return fields
    const cookies = redactor.cookies(context.headerValues('cookie').join('; '))
    fields = { cookies, headers: redactor.headers(context.rawHeaders) }
    raw = context.rawHeaders
    return fields
  }
}
