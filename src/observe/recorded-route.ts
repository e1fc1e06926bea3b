// The route of a request as its profile names it: an operation of GraphQL counts as one.

import type { Redactor } from '../base/redact/redactor.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { KeptName } from '../http/recording/recording.ts'
import type { RecordedGraphql, RequestRecord } from './request-record.ts'

/** Name of collector and panel, and the key on the recording. */
export const graphqlName: KeptName<KeptGraphql> = 'graphql'

/** The operations of a request, as a capture keeps them while it runs. */
export interface KeptGraphql {
  /** `query Products`; `undefined` while nothing was executed. */
  readonly title: string | undefined
  toRecord(): RecordedGraphql | undefined
}

/** What the GraphQL operations of a request are called together: `query Products`; `undefined` if it sent none. */
export function graphqlTitle({ request, recording }: Pick<Exchange, 'request' | 'recording'>): string | undefined {
  // A page may ask its own schema, too.
  const isAsked =
    request.method === 'GET'
      ? /(?:^|&)(?:query=(?:\s|%20|%0a|\+)*(?:%7b|\{|query\b|fragment\b)|extensions=%7b|documentId=)/i.test(
          request.rawQuery,
        )
      : /\b(?:json|graphql|multipart)\b/.test(request.header('content-type') ?? '')
  return isAsked ? recording?.kept(graphqlName)?.title : undefined
}

/** A GraphQL server has one route for all of its operations, or none: each operation counts as a route of its own. */
export function recordedRoute(exchange: Exchange, redactor: Redactor): RequestRecord['route'] {
  const { route, request } = exchange
  const title = graphqlTitle(exchange)
  if (title === undefined && route === undefined) return null
  const path = route?.path ?? redactor.url(request.path)
  const name = [route?.name ?? path, title].filter(Boolean).join(' ')
  return { name, path, definedAt: route?.definedAt ?? null }
}
