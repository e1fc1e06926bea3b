// What every store of profiles does alike: the pages of a list with their size, order and cursors, and which profile is removed next.

import type { PageRequest, ProfileOrder, ProfilePage, ProfileStoreStats } from '../profiles/profile-store.ts'
import type { ProfileFilter } from '../profiles/query/filters.ts'
import type { ProfileSummary } from '../observe/profile.ts'
import type { ProfileBounds } from './engine.ts'

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

/** Share of the room, by count and by bytes, for profiles with findings while ordinary ones need the rest. */
export const longerShare = 0.5

/** Profiles with findings may become older by this factor. */
export const longerAgeFactor = 4

/** `longer`: profiles with findings. */
export type KeepingClass = 'ordinary' | 'longer'

export interface Totals {
  readonly count: number
  readonly bytes: number
}

interface Kept {
  /** The oldest of each class by the order of writing, and when it began, in milliseconds since 1970. `undefined`: there is none. */
  readonly oldest: Readonly<Record<KeepingClass, { readonly seq: number; readonly time: number } | undefined>>
  readonly totals: Readonly<Record<KeepingClass, Totals>>
  readonly bounds: ProfileBounds
  /** The newest profile of all makes no room for older ones, only for its age. */
  readonly newestSeq: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The number of the profile that goes next; `undefined`: all fits. */
export function nextToGo({ oldest, totals, bounds, newestSeq, now }: Kept): number | undefined {
  const { ordinary, longer } = oldest
  if (ordinary !== undefined && ordinary.time < now - bounds.maxAgeMs) return ordinary.seq
  if (longer !== undefined && longer.time < now - bounds.maxAgeMs * longerAgeFactor) return longer.seq
  const chosen = classToCut(totals, bounds)
  if (chosen === null) return undefined
  return [oldest[chosen], ordinary, longer].find((one) => one !== undefined && one.seq !== newestSeq)?.seq
}

/** The class whose oldest profile is removed; `null` when all fits. The limit that is exceeded decides which share counts. */
function classToCut({ ordinary, longer }: Kept['totals'], { maxCount, maxBytes }: ProfileBounds): KeepingClass | null {
  if (ordinary.count + longer.count > maxCount) return longer.count > maxCount * longerShare ? 'longer' : 'ordinary'
  if (ordinary.bytes + longer.bytes > maxBytes) return longer.bytes > maxBytes * longerShare ? 'longer' : 'ordinary'
  return null
}

/** What a store says of itself. */
export function statsOf(
  { ordinary, longer }: Readonly<Record<KeepingClass, Totals>>,
  bounds: ProfileBounds,
  oldestTime: number | null,
): ProfileStoreStats {
  return {
    count: ordinary.count + longer.count,
    bytes: ordinary.bytes + longer.bytes,
    ...bounds,
    longer: { ...longer, share: longerShare, maxAgeMs: bounds.maxAgeMs * longerAgeFactor },
    oldestTime,
  }
}
