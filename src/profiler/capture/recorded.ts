// What a record holds of queries and outgoing requests.

import type { QueryText } from './query-text.ts'

/** A query in a record: plain JSON, error not masked yet. Times are milliseconds since the request started. */
export interface RecordedQuery extends QueryText {
  readonly system: string
  readonly library: string
  readonly namespace: string | null
  readonly key: string | null
  readonly startMs: number
  /** `null` if it did not end, or its end is not reported. */
  readonly durationMs: number | null
  /** Rows read or changed; `null` if unknown. */
  readonly rows: number | null
  readonly error: string | null
  /** `src/prices.ts:12`; `null` if unknown. */
  readonly callSite: string | null
}

/** All queries of a request, as its record holds them. */
export interface RecordedQueries {
  readonly queries: readonly RecordedQuery[]
  /** Queries beyond the limit. */
  readonly dropped: number
  /** Duration of the request. */
  readonly durationMs: number
}

/** An outgoing request in a record: plain JSON, URL, error and headers not masked yet. Times are milliseconds since the request started. */
export interface RecordedOutgoing {
  readonly client: 'fetch' | 'node:http'
  readonly method: string
  readonly url: string
  /** `null` without a response. */
  readonly status: number | null
  /** Why the response is missing or incomplete; `null` if it is not. */
  readonly error: string | null
  readonly startMs: number
  /** Until the request was written: waiting for a connection. `null` if it never was. */
  readonly waitMs: number | null
  /** Until the response headers arrived; `null` if they did not. */
  readonly firstByteMs: number | null
  /** Until the response was complete, or the request had failed; `null` if it was still running. */
  readonly durationMs: number | null
  /** Size of the body sent; `null` if unknown. */
  readonly requestBytes: number | null
  /** Size of the body received, compressed if it was; `null` if unknown. */
  readonly responseBytes: number | null
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
  /** `src/prices.ts:12`; `null` if unknown. */
  readonly callSite: string | null
}

/** All outgoing requests of a request, as its record holds them. */
export interface RecordedOutgoings {
  /** Requests beyond the limit. */
  readonly dropped: number
  /** W3C trace id of the request that is served. */
  readonly traceId: string
  /** Span that the caller of the request named; `null` if it named none. */
  readonly parentSpanId: string | null
  /** Duration of the request. */
  readonly durationMs: number
  readonly calls: readonly RecordedOutgoing[]
}
