// Which spans share a row of the timeline, how deep each is, and what runs at its side.

import type { Span } from '../../../framework/timing/span.ts'
import { gathered } from '../../traces/trace-rows.ts'

export function depthsOf(spans: readonly Span[]): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  for (const span of spans) depths.set(span.id, span.parentId === null ? 0 : (depths.get(span.parentId) ?? 0) + 1)
  return depths
}

/** How many spans of the same parent each one overlaps. Spans come in the order they began. */
export function overlapsOf(spans: readonly Span[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  const running = new Map<number | null, { readonly id: number; readonly endMs: number }[]>()
  for (const { id, parentId, startMs, durationMs } of spans) {
    const others = (running.get(parentId) ?? []).filter(({ endMs }) => endMs > startMs)
    for (const other of others) counts.set(other.id, (counts.get(other.id) ?? 0) + 1)
    if (others.length > 0) counts.set(id, others.length)
    others.push({ id, endMs: durationMs === null ? Number.POSITIVE_INFINITY : startMs + durationMs })
    running.set(parentId, others)
  }
  return counts
}

/** What tells spans of one name apart: path and query of a call, the text of a statement; empty if there is nothing. */
export function detailOf({ attributes }: Span): string {
  const url = attributes['url.full']
  const text = attributes['db.query.text'] ?? (typeof url === 'string' ? pathOf(url) : '')
  return typeof text === 'string' ? text : ''
}

/**
 * The spans in their order, four or more that repeat each other together: same parent, name and detail, all ended well, with nothing
 * inside and nothing at their side (`isApart`). A list of one for every other span.
 */
export function gatherRepeats(
  spans: readonly Span[],
  isApart: (span: Span) => boolean,
): readonly (readonly [Span, ...Span[]])[] {
  const parents = new Set(spans.map(({ parentId }) => parentId))
  const isPlain = (span: Span): boolean =>
    span.durationMs !== null && span.status !== 'error' && !parents.has(span.id) && isApart(span)
  return gathered(spans, 4, isPlain, isAlike)
}

function isAlike(one: Span, other: Span): boolean {
  return (
    one.parentId === other.parentId &&
    one.name === other.name &&
    one.category === other.category &&
    detailOf(one) === detailOf(other)
  )
}

function pathOf(url: string): string {
  return /^[a-z]+:\/\/[^/]*(\/.*)$/s.exec(url)?.[1] ?? ''
}
