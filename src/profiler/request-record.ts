// The record of one finished request: plain JSON, not masked yet. `assembleProfile` makes its profile, in the thread of the
// store or in place.

import type { ErrorChain } from '../errors/flattened-error.ts'
import type { RequestParts } from '../framework/http/request.ts'
import type { SentResponse } from '../framework/kernel/exchange.ts'
import type { LogRecord } from '../framework/log/record-logger.ts'
import type { CapturedBody } from '../framework/recording/captured-body.ts'
import type { Note } from '../framework/recording/recording.ts'
import type { Span } from '../framework/timing/span.ts'
import type { RecordedOutgoings } from './capture/recorded.ts'
import type { RecordedQueries } from './capture/recorded.ts'
import type { OwnData } from './collect-own.ts'
import type { Collector } from './collector.ts'
import type { CommandData } from './collectors/command.ts'
import type { RecordedDumps } from './dump.ts'
import type { CpuCalls, Measurement } from './measuring/request-meter.ts'
import type { CollectedSummary } from './profile.ts'
import type { RouterMiss } from './router-miss.ts'

/** One finished request. */
export interface RequestRecord {
  readonly token: string
  readonly parentToken: string | null
  readonly childTokens: readonly string[]
  /** Wall clock at the start, milliseconds since 1970 (UTC). */
  readonly startedAt: number
  readonly durationMs: number
  readonly request: Omit<RequestParts, 'body'>
  /** Name of the handler. */
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
  /** Time of listeners that only watch, in milliseconds. */
  readonly instrumentationMs: number
  /** What listeners kept, by the name of its collector. */
  readonly parts: RecordedParts
  /** What the application's own collectors gathered. */
  readonly own: OwnData
}

/** The matched route. */
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
  readonly body?: CapturedBody | undefined
  readonly redirects?: readonly RedirectStep[] | undefined
  readonly exception?: ErrorChain | undefined
  readonly measurement?: Measurement | undefined
  readonly cpu?: CpuCalls | undefined
  readonly queries?: RecordedQueries | undefined
  readonly outgoing?: RecordedOutgoings | undefined
  readonly dumps?: RecordedDumps | undefined
  readonly command?: CommandData | undefined
  /** Why no route matched. */
  readonly miss?: RouterMiss | undefined
}

/** A built-in collector: a function of the record. */
export interface BuiltInCollector<Data = unknown> extends Pick<Collector<Data>, 'name' | 'cut'> {
  /** `undefined`: nothing of the kind happened. */
  collect(record: RequestRecord): Data | undefined
  /** What the data contributes to the summary of the profile. Default: nothing. */
  summarize?(data: Data): Partial<CollectedSummary>
}

/** A request that was answered with a redirect. */
export interface RedirectStep {
  readonly token: string
  readonly method: string
  readonly status: number
}

/** Under what the redirects that led to a request are kept on its recording, oldest first; nothing is kept where there are none. */
export const redirectsName = 'redirects'
