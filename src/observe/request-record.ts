// The record of one finished request: plain JSON, not masked yet. `assembleProfile` makes its profile, in the thread of the
// store or in place.

import type { ExplainedChain } from '../errors/value-origin.ts'
import type { RequestParts } from '../base/http/request.ts'
import type { SentResponse } from '../http/kernel/exchange.ts'
import type { LogRecord } from '../base/log/logger.ts'
import type { RecordedBody } from '../http/recording/captured-body.ts'
import type { Note } from '../http/recording/recording.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { DumpedValue } from '../base/redact/redactor.ts'
import type { Span } from '../base/timing/stopwatch.ts'
import type { RecordedActivities, Happening } from './activities/activity.ts'
import type { QueryText } from './outgoing/query-text.ts'
import type { RecordedClient, CookieSignatures } from './client/client-state.ts'
import type { Collector } from './collector.ts'
import type { CommandData, JobData, TaskData } from './collectors/runs.ts'
import type { RecordedDumps } from './dump.ts'
import type { Allocations } from '../measuring/function-profiles.ts'
import type { CpuCalls, Measurement } from '../measuring/request-meter.ts'
import type { ProfileSummary, Found } from './profile.ts'
import type { RanCode } from '../observe/ran-code.ts'

export interface RequestRecord {
  readonly token: string
  readonly parentToken: string | null
  readonly childTokens: readonly string[]
  /** Wall clock at the start, milliseconds since 1970 (UTC). */
  readonly startedAt: number
  readonly durationMs: number
  /** How long the request waited for this library, in milliseconds: no part of its duration. */
  readonly asideMs: number
  readonly request: Omit<RequestParts, 'body'>
  readonly handler: string
  readonly isSubRequest: boolean
  /** `null` if no route matched. */
  readonly route: RecordedRoute | null
  readonly params: Readonly<Record<string, unknown>>
  /** `null` if there is none. */
  readonly response: { readonly status: number; readonly headers: readonly string[] } | null
  /** `null` if the host has not reported it. */
  readonly sent: SentResponse | null
  readonly children: readonly RecordedChild[]
  readonly notes: readonly Note[]
  readonly log: { readonly records: readonly LogRecord[]; readonly dropped: number }
  readonly spans: readonly Span[]
  readonly droppedSpans: number
  /** What listeners kept, by the name of its collector. */
  readonly parts: RecordedParts
  /** What the application's own collectors gathered. */
  readonly own: OwnData
}

export interface RecordedRoute {
  readonly name: string
  readonly path: string
  readonly definedAt: { readonly file: string; readonly line: number } | null
}

/** A sub-request, as its parent lists it. */
export interface RecordedChild {
  readonly token: string
  readonly handler: string
  readonly status: number
  /** Milliseconds from the start of the parent. */
  readonly startMs: number
  readonly durationMs: number
}

/** What listeners keep of a request. `undefined`: nothing. */
export interface RecordedParts {
  readonly body?: RecordedBody | undefined
  readonly responseBody?: RecordedBody | undefined
  readonly redirects?: readonly RedirectStep[] | undefined
  readonly exception?: ExplainedChain | undefined
  readonly measurement?: Measurement | undefined
  readonly cpu?: CpuCalls | undefined
  readonly allocations?: Allocations | undefined
  readonly code?: RanCode | undefined
  readonly queries?: RecordedQueries | undefined
  readonly outgoing?: RecordedOutgoings | undefined
  readonly graphql?: RecordedGraphql | undefined
  readonly activities?: RecordedActivities | undefined
  readonly client?: RecordedClient | undefined
  readonly signatures?: CookieSignatures | undefined
  readonly dumps?: RecordedDumps | undefined
  readonly command?: CommandData | undefined
  readonly job?: JobData | undefined
  readonly task?: TaskData | undefined
  /** Id of the trace, where the request handed it on. */
  readonly traceId?: string | undefined
  /** Why no route matched. */
  readonly miss?: RouterMiss | undefined
  /** Token of the profile whose request was sent again. */
  readonly replayOf?: string | undefined
  /** Masked. */
  readonly tags?: readonly string[] | undefined
  readonly found?: readonly Found[] | undefined
}

/** A built-in collector: a function of the record. */
export interface BuiltInCollector<Data = unknown> extends Pick<Collector<Data>, 'name' | 'cut'> {
  /** `undefined`: there were none. `gathered`: what those before it have, by their names. Default: nothing. */
  collect(record: RequestRecord, gathered?: Readonly<Record<string, unknown>>): Data | undefined
  /** What the data contributes to the summary of the profile. Default: nothing. */
  summarize?(data: Data): Partial<ProfileSummary>
}

export interface RedirectStep {
  readonly token: string
  readonly method: string
  readonly status: number
}

/** What own collectors gathered: names and JSON texts. */
export interface OwnData {
  readonly parts: readonly { readonly name: string; readonly json: string }[]
  readonly notes: readonly Note[]
}

export interface RouterTraceEntry {
  readonly route: string
  readonly pattern: string
  /** `almost`: all but the method, the scheme or the condition fits. */
  readonly outcome: 'match' | 'almost' | 'no'
  /** One sentence for people. */
  readonly reason: string
  /** `app/routes.ts:12`; `null` if unknown. */
  readonly definedAt: string | null
}

/** Why no route matched. */
export interface RouterMiss {
  /** Nearest first. */
  readonly trace: readonly RouterTraceEntry[]
  /** Routes of the trace that were not kept, the farthest ones. */
  readonly droppedRoutes: number
  readonly suggestions: readonly Suggestion[]
}

/** A query in a record: plain JSON, error not masked yet. Times are milliseconds since the request started. */
export interface RecordedQuery extends QueryText, Happening {
  /** In the words of OpenTelemetry: `postgresql`, `mysql`, `sqlite`, `redis`, `mongodb`. */
  readonly system: string
  /** The library that sent it: `pg`, `node:sqlite`. */
  readonly library: string
  /** Equal for equal values; `null` if the values cannot be compared. */
  readonly key: string | null
  /** Name of the database; `null` if unknown. */
  readonly namespace: string | null
  /** Rows read or changed; `null` if unknown. */
  readonly rows: number | null
  /** The line in a loop that led to it; `null` without one. */
  readonly loop: string | null
  /** The GraphQL field whose resolver sent it: `Order.customer`. Absent outside of resolvers. */
  readonly field?: string
}

/** All queries of a request, as its record holds them. */
export interface RecordedQueries {
  readonly queries: readonly RecordedQuery[]
  /** Queries beyond the limit. */
  readonly dropped: number
  /** How many of them were like kept ones, by `groupKey`. */
  readonly droppedLike: Readonly<Record<string, number>>
  readonly durationMs: number
}

/** An outgoing request in a record: plain JSON, URL, error and headers not masked yet. Times are milliseconds since the request started. */
export interface RecordedOutgoing extends Happening {
  readonly client: 'fetch' | 'node:http'
  readonly method: string
  readonly url: string
  /** `null` without a response. */
  readonly status: number | null
  /** Until the request was written: waiting for a connection. `null` if it never was. */
  readonly waitMs: number | null
  /** Until the response headers arrived; `null` if they did not. */
  readonly firstByteMs: number | null
  /** Size of the body sent; `null` if unknown. */
  readonly requestBytes: number | null
  /** Size of the body received, compressed if it was; `null` if unknown. */
  readonly responseBytes: number | null
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
  /** Absent unless bodies are captured, and where there is none. */
  readonly requestBody?: RecordedBody | undefined
  readonly responseBody?: RecordedBody | undefined
  /** Span that the called service was told to be part of, 16 hexadecimal digits; `null` if it was told none. */
  readonly spanId: string | null
}

/** All outgoing requests of a request, as its record holds them. */
export interface RecordedOutgoings {
  /** Those that were not kept: beyond the limit, or too large for the profile. */
  readonly dropped: number
  /** W3C trace id of the request that is served. */
  readonly traceId: string
  /** Span that the caller of the request named; `null` if it named none. */
  readonly parentSpanId: string | null
  readonly durationMs: number
  readonly calls: readonly RecordedOutgoing[]
}

/** A GraphQL operation in a record: plain JSON, document not masked yet. Times are milliseconds; `null` if nothing is known. */
export interface RecordedOperation {
  /** `query`, `mutation`, `subscription`. */
  readonly kind: string | null
  readonly name: string | null
  /** As it was sent; `null` if only what was parsed is known. */
  readonly document: string | null
  /** Whether the document went on. */
  readonly isCut: boolean
  /** Masked. */
  readonly variables: DumpedValue | null
  /** Since the request started. */
  readonly startMs: number
  readonly parseMs: number | null
  readonly validateMs: number | null
  readonly executeMs: number | null
  /** Masked; the first ones. */
  readonly errors: readonly string[]
  readonly errorCount: number
}

/** How long the resolvers of one field ran. */
export interface ResolverTimes {
  /** `Query.orders` */
  readonly name: string
  /** Index of the operation that asked for the field; `null` if it was not kept. Absent in profiles of versions that did not tell. */
  readonly operation?: number | null
  readonly count: number
  readonly totalMs: number
  readonly slowestMs: number
  readonly failed: number
}

/** All GraphQL operations of a request, as its record holds them. */
export interface RecordedGraphql {
  readonly operations: readonly RecordedOperation[]
  /** Operations that were not kept. */
  readonly dropped: number
  /** Those that only read a property, below the root, are left out. */
  readonly resolvers: readonly ResolverTimes[]
  /** Calls of resolvers of fields beyond the limit. */
  readonly droppedCalls: number
}
