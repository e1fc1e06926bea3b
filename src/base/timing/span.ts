// The shape of one timed stretch of work, in the words of the OpenTelemetry specification.

/** What a span is to the outside: own work, a request that came in, a call that went out. */
type SpanKind = 'internal' | 'server' | 'client'

/** One timed stretch of work. Plain data; times are milliseconds since the request began. */
export interface Span {
  readonly id: number
  /** `id` of the enclosing span, or `null` for the outermost. */
  readonly parentId: number | null
  /** `onRequest`, `SELECT orders`, `GET`. */
  readonly name: string
  readonly kind: SpanKind
  /** What the timeline groups by: `kernel`, `listener`, `controller`, `template`, `store`, `http`, `app`, `loading`. */
  readonly category: string
  readonly startMs: number
  /** `null` while it is not over. */
  readonly durationMs: number | null
  readonly status: 'unset' | 'ok' | 'error'
  /** Names of the OpenTelemetry semantic conventions if there is one: `db.system.name`, `http.request.method`. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** Category of the time in which a request waited for parts of this library to be loaded and run first, once in a process. */
export const loadingCategory = 'loading'

/** What is known of a span when it begins. */
export interface SpanStart {
  readonly name: string
  /** Default `internal`. */
  readonly kind?: SpanKind
  /** Default `app`. */
  readonly category?: string
  /** Start in milliseconds since the stopwatch was created, where another record has the same time. Default: now. */
  readonly startMs?: number
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

/** A running span. `end` counts once; later calls change nothing. */
export interface RunningSpan {
  /** Of the span; 0 if it is not kept. */
  readonly id: number
  setAttribute(name: string, value: string | number | boolean): void
  /** `durationMs`: as it is said elsewhere, too. Default: until now. */
  end(status?: 'ok' | 'error', durationMs?: number): void
}
