// `dump(value)` shows a value in the profile of the running request, with the line that dumped it. The collector masks it.

import { currentExchange } from '../framework/kernel/current-exchange.ts'
import type { Recording } from '../framework/recording/recording.ts'
import { toPlainValue, type PlainValue } from '../framework/redact/plain-value.ts'

/** A value as it was when it was dumped. */
export interface RecordedDump {
  readonly label: string | null
  readonly value: PlainValue
  /** Milliseconds since the request began. */
  readonly timeMs: number
  /** The stack that leads to the call of `dump`. */
  readonly stack: string
}

/** The dumps of one request. */
export interface RecordedDumps {
  readonly dumps: readonly RecordedDump[]
  /** Dumps beyond the limit. */
  readonly dropped: number
}

class KeptDumps {
  readonly dumps: RecordedDump[] = []
  dropped = 0

  toRecord(): RecordedDumps {
    return { dumps: this.dumps, dropped: this.dropped }
  }
}

/** Dumps kept per request. */
export const maxDumps = 100
const limits = { maxTotalLength: 16_384 } as const
const keptName = 'dump'

/**
 * Puts a value into the profile of the current request, with file and line, and gives it back: `save(dump(order))`. `label`
 * is shown beside it. Never throws, whatever the value; at most 100 a request are kept, each with about 16 KB.
 */
export function dump<Value>(value: Value, label?: string): Value {
  const recording = currentExchange()?.recording
  if (recording !== undefined) keep(recording, value, label, dump)
  return value
}

/** The dumps of a recording, or `undefined`. */
export function keptDumps(recording: Pick<Recording, 'kept'>): KeptDumps | undefined {
  // Only this file keeps something under the name.
  return recording.kept(keptName) as KeptDumps | undefined
}

function keep(recording: Recording, value: unknown, label: string | undefined, below: typeof dump): void {
  let kept = keptDumps(recording)
  if (kept === undefined) {
    kept = new KeptDumps()
    recording.keep(keptName, kept)
  }
  if (kept.dumps.length >= maxDumps) {
    kept.dropped += 1
    return
  }
  const place: { stack?: unknown } = {}
  Error.captureStackTrace(place, below)
  kept.dumps.push({
    label: label === undefined ? null : String(label).slice(0, 200),
    value: toPlainValue(value, limits),
    timeMs: recording.stopwatch.elapsedMs(),
    stack: typeof place.stack === 'string' ? place.stack : '',
  })
}
