// Gathers spans of the time line that repeat each other one after the other, such as the statements of an N+1: one row says more
// than a hundred that are alike.

import type { Span } from '../../../framework/timing/span.ts'

/** So many in a row become one row; fewer stay as they are. */
const leastRepeats = 4

/** What tells spans of one name apart: path and query of a call, the text of a statement; empty where there is nothing. */
export function detailOf({ attributes }: Span): string {
  const url = attributes['url.full']
  const text = attributes['db.query.text'] ?? (typeof url === 'string' ? pathOf(url) : '')
  return typeof text === 'string' ? text : ''
}

/**
 * The spans in their order, those that repeat each other together: same parent, name and detail, all ended well, with nothing
 * inside and nothing at their side (`isApart`). A list of one for every other span.
 */
export function gatherRepeats(
  spans: readonly Span[],
  isApart: (span: Span) => boolean,
): readonly (readonly [Span, ...Span[]])[] {
  const parents = new Set(spans.map(({ parentId }) => parentId))
  const isPlain = (span: Span): boolean =>
    span.durationMs !== null && span.status !== 'error' && !parents.has(span.id) && isApart(span)
  const rows: [Span, ...Span[]][] = []
  for (const span of spans) {
    const row = rows.at(-1)
    if (row !== undefined && isPlain(span) && isPlain(row[0]) && isAlike(row[0], span)) row.push(span)
    else rows.push([span])
  }
  return rows.flatMap((row) => (row.length < leastRepeats ? row.map((span): [Span] => [span]) : [row]))
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
