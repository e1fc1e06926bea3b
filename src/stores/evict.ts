// Chooses the profile to remove next, until the rest fits. Profiles with findings are kept longer, and a share of the room is theirs: a
// flood of fast responses does not push errors out.

import type { ProfileStoreStats } from '../profiles/profile-store.ts'
import type { ProfileBounds } from './engine-options.ts'

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

/** What the choice is made of. */
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
