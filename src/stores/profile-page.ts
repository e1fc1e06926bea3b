// What every store of profiles does alike with the pages of a list: their size, order, and the cursors between them.

import type { PageRequest, ProfileOrder, ProfilePage } from '../profiles/profile-store.ts'
import type { ProfileFilter } from '../profiles/query/filters.ts'
import type { ProfileSummary } from '../observe/profile.ts'

/** Sequence numbers between two, both excluded. */
export interface SeqRange {
  readonly above: number
  readonly below: number
}

/** Entries of one page: what was asked for within 1–200, else 25. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined || !Number.isFinite(limit)) return 25
  return Math.min(200, Math.max(1, Math.trunc(limit)))
}

/** The cursor of an entry with this sequence number; 0 is before all. */
export function cursorOf(seq: number): string {
  return `p${seq.toString(36)}`
}

/** What a page is read from, or `undefined` for a malformed cursor. `newest` is the newest number of the store, 0 for none. */
export function rangeOf({ after, newerThan }: PageRequest, newest: number): SeqRange | undefined {
  const before = after === undefined ? newest + 1 : seqOfCursor(after)
  const above = newerThan === undefined ? 0 : seqOfCursor(newerThan)
  if (before === undefined || above === undefined) return undefined
  // A store that was emptied counts from the beginning again.
  return { above: above > newest ? 0 : above, below: Math.min(before, newest + 1) }
}

/** How many of the newest profiles are looked at: fewer where each one costs more. */
export function searchedNewest({ url, text }: ProfileFilter, order: ProfileOrder = 'newest'): number {
  if (text !== undefined || order !== 'newest') return 10_000
  return url === undefined ? Number.POSITIVE_INFINITY : 100_000
}

/** The sequence number in a cursor; `undefined` for a malformed cursor. */
export function seqOfCursor(cursor: string): number | undefined {
  return /^p[0-9a-z]{1,10}$/.test(cursor) ? Number.parseInt(cursor.slice(1), 36) : undefined
}

/** A page of the profiles that were found, newest first; one more than the limit tells that there are older ones. */
export function pageOf<Found extends { readonly seq: number }>(
  found: readonly Found[],
  limit: number,
  newestSeq: number,
  summaryOf: (one: Found) => ProfileSummary | undefined,
): ProfilePage {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.flatMap((one) => summaryOf(one) ?? []),
    next: found.length > limit && last !== undefined ? cursorOf(last.seq) : null,
    newest: cursorOf(newestSeq),
  }
}

const figures: Readonly<Record<ProfileOrder, (summary: ProfileSummary) => number>> = {
  newest: () => 0,
  slowest: ({ durationMs }) => durationMs,
  queries: ({ queryCount }) => queryCount ?? -1,
  logs: ({ logCount }) => logCount,
}

interface Placed {
  readonly seq: number
  readonly summary: ProfileSummary
}

/** Compares for an order: the greatest first, the newest of equal ones first. */
export function compareBy(order: ProfileOrder): (one: Placed, other: Placed) => number {
  const figureOf = figures[order]
  return (one, other) => figureOf(other.summary) - figureOf(one.summary) || other.seq - one.seq
}
