// Shows a value in the profile of the request that is running, with the place it was dumped at. Outside a recording nothing
// happens, so a forgotten call costs a look-up. Masking is the collector's.

import { currentExchange } from '../framework/kernel/current-exchange.ts'
import type { Recording } from '../framework/recording/recording.ts'
import { toPlainValue, type PlainValue } from '../framework/redact/plain-value.ts'

/** A value as it was when it was dumped. */
export interface KeptDump {
  readonly label: string | null
  readonly value: PlainValue
  /** Milliseconds since the request began. */
  readonly timeMs: number
  /** Holds the stack; V8 writes it when it is read. */
  readonly place: { readonly stack?: unknown }
}

/** What one request dumped. */
export interface KeptDumps {
  readonly dumps: KeptDump[]
  dropped: number
}

/** Dumps of one request that are kept. */
export const maxDumps = 100
const limits = { maxTotalLength: 16_384 } as const
/** Under what the dumps of a recording are kept. */
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

/** What was dumped while a recording ran, or `undefined`. */
export function keptDumps(recording: Pick<Recording, 'kept'>): KeptDumps | undefined {
  // Only this file keeps something under the name.
  return recording.kept(keptName) as KeptDumps | undefined
}

function keep(recording: Recording, value: unknown, label: string | undefined, below: typeof dump): void {
  let kept = keptDumps(recording)
  if (kept === undefined) {
    kept = { dumps: [], dropped: 0 }
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
    place,
  })
}
