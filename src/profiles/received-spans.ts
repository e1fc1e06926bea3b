// Spans that other services sent, as a store keeps them: a record for each trace, service and batch.

import type { Attributes, TraceSpan } from './trace-span.ts'

/** Spans of one service in one trace, as they came in. Records with log lines alone have none. */
export interface ReceivedSpans {
  readonly spans: readonly TraceSpan[]
  /** Spans of the batch that were not kept. */
  readonly dropped: number
  /** What sent them: `service.name`, `telemetry.sdk.language`. */
  readonly resource: Attributes
}

/**
 * The `parentToken` of all records of a trace: the first half of its ID. Lists leave the records out as they leave out sub-requests,
 * and `parentToken` finds those of one trace.
 */
export function traceToken(traceId: string): string {
  return traceId.slice(0, 16)
}
