// Adds up the spans of a request by their names: total time, own time, how often.

import type { StoredSpan } from '../stored-data.ts'

/** Total milliseconds, milliseconds without the spans directly inside, and how many; of a running span the time is 0. */
export function spanTimes(spans: readonly StoredSpan[]): ReadonlyMap<string, readonly [number, number, number]> {
  const inside = new Map<number, StoredSpan[]>()
  for (const span of spans) {
    if (span.parentId === null) continue
    const children = inside.get(span.parentId)
    if (children === undefined) inside.set(span.parentId, [span])
    else children.push(span)
  }
  const times = new Map<string, readonly [number, number, number]>()
  for (const span of spans) {
    const totalMs = span.durationMs ?? 0
    const ownMs = Math.max(0, totalMs - coveredMs(inside.get(span.id) ?? []))
    const [total, own, count] = times.get(span.name) ?? [0, 0, 0]
    times.set(span.name, [total + totalMs, own + ownMs, count + 1])
  }
  return times
}

/** Milliseconds in which at least one of the spans ran. */
function coveredMs(spans: readonly StoredSpan[]): number {
  let covered = 0
  let untilMs = Number.NEGATIVE_INFINITY
  for (const { startMs, durationMs } of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const endMs = startMs + (durationMs ?? 0)
    covered += Math.max(0, endMs - Math.max(startMs, untilMs))
    untilMs = Math.max(untilMs, endMs)
  }
  return covered
}
