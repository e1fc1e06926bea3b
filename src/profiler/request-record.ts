// A recorded request without what only the running process can hold: no body, no socket, no handler. Collectors that need
// nothing else can gather later, and in another thread.

import type { HttpRequest } from '../framework/http/request.ts'
import type { SentAnswer } from '../framework/kernel/exchange.ts'
import type { LogRecord } from '../framework/log/record-logger.ts'
import type { Note } from '../framework/recording/recording.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { Span } from '../framework/timing/span.ts'
import type { Collector } from './collector.ts'
import type { CollectedSummary } from './profile.ts'

/** What is left of a request. An `Exchange` is one, too. */
export interface RequestRecord {
  readonly context: HttpRequest
  readonly handlerName: string
  readonly route: RouteRecord | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** There for a sub-request. */
  readonly parent: object | undefined
  readonly reply: { readonly status: number; readonly headers: readonly string[] } | undefined
  readonly sent: SentAnswer | undefined
  readonly children: readonly ChildRecord[]
  readonly recording: RecordingRecord | undefined
}

/** The matched route. */
export interface RouteRecord {
  readonly name: string
  readonly path: string
  readonly definedAt: { readonly file: string; readonly line: number } | null
}

/** A sub-request, as far as its parent names it. */
export interface ChildRecord {
  readonly handlerName: string
  readonly reply: { readonly status: number } | undefined
  readonly recording:
    | { readonly token: string; readonly durationMs: number; readonly stopwatch: { readonly startedMs: number } }
    | undefined
}

/** What was noted while it ran. */
export interface RecordingRecord {
  readonly token: string
  readonly startedAt: number
  readonly durationMs: number
  readonly parent: { readonly token: string } | undefined
  readonly children: readonly { readonly token: string }[]
  readonly notes: readonly Note[]
  readonly logger: { readonly records: readonly LogRecord[]; readonly dropped: number }
  readonly stopwatch: {
    readonly startedMs: number
    readonly instrumentationMs: number
    readonly droppedSpans: number
    spans(): readonly Span[]
  }
  /** What listeners kept for the collector of a name. */
  kept(name: string): unknown
}

/** What a listener keeps that is no plain data, but can be made of plain facts in another thread. */
export interface PackedKept {
  /** Plain facts; may still hold secrets. */
  pack(): unknown
}

/** Makes what was kept of its facts, by the name under which it was kept. */
export type Revivers = Readonly<Record<string, (facts: unknown, redactor: Redactor) => unknown>>

/** A collector that is content with the record; it is an ordinary collector besides. */
export interface RecordCollector<Data = unknown> extends Pick<Collector<Data>, 'name' | 'cut'> {
  collect(record: RequestRecord): Data | undefined
  /** What the data contributes to the summary of the profile. Default: nothing. */
  summarize?(data: Data): Partial<CollectedSummary>
  /**
   * Names under which listeners keep what it reads: plain data, or something that packs itself (`PackedKept`). Without the
   * list it gathers in the main thread: what it reads cannot be copied to another one.
   */
  readonly reads?: readonly string[]
  /** Whether it gathers the very same data for every request: then that is encoded once. Default: no. */
  readonly isConstant?: boolean
  /** Whether it has to gather in the main thread for this request. Default: never. */
  staysHere?(record: RequestRecord): boolean
}
