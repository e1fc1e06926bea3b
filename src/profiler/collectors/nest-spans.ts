// Decides which span is drawn inside which. A stopwatch only knows which span ran when another one began; of two calls that
// run side by side, that makes one the parent of the other. The kernel's own spans are the ones that surely hold others: they
// run one after another, around what they call.

import type { Span } from '../../framework/timing/span.ts'

/** How far out a kind of work stands. A span is held by one that stands further out; what is not named here holds nothing. */
const levels: ReadonlyMap<string, number> = new Map([
  ['kernel', 0],
  ['listener', 1],
  ['controller', 1],
  ['sub-request', 2],
])
const innermost = 3

/**
 * The same spans with parents that are sure: the newest span further out that was running from their beginning to their end.
 * Times are rounded to tenths of a microsecond: what a clock says beyond that is noise, and long to write.
 */
export function nestSpans(spans: readonly Span[]): readonly Span[] {
  const holders: Span[] = []
  const nested: Span[] = []
  for (const span of spans) {
    const level = levelOf(span)
    const parentId = innermostHolder(holders, span, level)
    if (level < innermost) holders.push(span)
    const { id, name, kind, category, startMs, durationMs, status, attributes } = span
    nested.push({
      id,
      parentId,
      name,
      kind,
      category,
      startMs: roundTime(startMs),
      durationMs: durationMs === null ? null : roundTime(durationMs),
      status,
      attributes,
    })
  }
  return nested
}

/** Milliseconds, to tenths of a microsecond. */
export function roundTime(ms: number): number {
  return Math.round(ms * 10_000) / 10_000
}

function innermostHolder(holders: readonly Span[], span: Span, level: number): number | null {
  for (let index = holders.length - 1; index >= 0; index -= 1) {
    const holder = holders[index]
    if (holder !== undefined && levelOf(holder) < level && holds(holder, span)) return holder.id
  }
  return null
}

function levelOf({ category }: Span): number {
  return levels.get(category) ?? innermost
}

function holds(holder: Span, span: Span): boolean {
  return span.startMs >= holder.startMs && endOf(span) <= endOf(holder)
}

/** A span that has not ended goes on beyond every other one. */
function endOf({ startMs, durationMs }: Span): number {
  return durationMs === null ? Number.POSITIVE_INFINITY : startMs + durationMs
}
