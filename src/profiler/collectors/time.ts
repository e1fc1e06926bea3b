// Where the time went: the spans of the request, and how long its sub-requests took.

import type { Span } from '../../timing/span.ts'
import type { Collector } from '../collector.ts'
import { cutList } from './cut-list.ts'
import { nestSpans } from './nest-spans.ts'

/** A sub-request on the time line of its parent. */
export interface SubRequestTime {
  readonly token: string
  readonly handler: string
  /** Milliseconds from the start of the parent. */
  readonly startMs: number
  readonly durationMs: number
}

/** Facts of time. */
export interface TimeData {
  readonly durationMs: number
  /** In the order they began; parents as `nestSpans` knows them. */
  readonly spans: readonly Span[]
  /** Spans that were not kept: too many, or too large for the profile. */
  readonly droppedSpans: number
  readonly subRequests: readonly SubRequestTime[]
}

/** Gathers the spans. */
export const timeCollector: Collector<TimeData> = {
  name: 'time',
  collect: ({ recording, children }) => {
    if (recording === undefined) return undefined
    return {
      durationMs: recording.durationMs,
      spans: nestSpans(recording.stopwatch.spans()),
      droppedSpans: recording.stopwatch.droppedSpans,
      subRequests: children.flatMap((child) =>
        child.recording === undefined
          ? []
          : [
              {
                token: child.recording.token,
                handler: child.handlerName,
                startMs: child.recording.stopwatch.startedMs - recording.stopwatch.startedMs,
                durationMs: child.recording.durationMs,
              },
            ],
      ),
    }
  },
  cut: (data, maxBytes) => {
    const spans = cutList(data.spans, maxBytes)
    return { ...data, spans, droppedSpans: data.droppedSpans + data.spans.length - spans.length }
  },
}
