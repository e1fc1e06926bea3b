// Chooses the profiles to remove so that the rest fits. Profiles with findings are kept longer, and a share of the room is theirs: a
// flood of fast responses does not push errors out.

import type { ProfileStoreStats } from '../profile-store.ts'
import type { ProfileBounds } from './engine-options.ts'

/** Share of the room, by count and by bytes, for profiles with findings while ordinary ones need the rest. */
export const longerShare = 0.5

/** Profiles with findings may become older by this factor. */
export const longerAgeFactor = 4

/** `longer`: profiles with findings. */
export type KeepingClass = 'ordinary' | 'longer'

export interface Evictable {
  readonly seq: number
  readonly bytes: number
  /** When it began, milliseconds since 1970. */
  readonly time: number
}

export interface Totals {
  readonly count: number
  readonly bytes: number
}

interface EvictionRequest {
  /** Both classes, each in the order of writing. Read only as far as needed, and returned to where they know how. */
  readonly oldest: Readonly<Record<KeepingClass, Iterator<Evictable>>>
  readonly totals: Readonly<Record<KeepingClass, Totals>>
  readonly bounds: ProfileBounds
  /** The newest profile of all makes no room for older ones, only for its age. */
  readonly newestSeq: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** Profiles that go at once. Default: as many as must. */
  readonly mostAtOnce?: number
}

interface Eviction {
  /** The last one to go of each class; all before it go too. `null`: none does. */
  readonly upTo: Readonly<Record<KeepingClass, number | null>>
  readonly totals: Readonly<Record<KeepingClass, Totals>>
  /** Whether more must go. */
  readonly isCut: boolean
}

/** Decides; removes nothing itself. */
export function evict(request: EvictionRequest): Eviction {
  const { oldest, totals, bounds, newestSeq, now, mostAtOnce = Infinity } = request
  let left = mostAtOnce
  const mayDrop = (): boolean => left-- > 0
  const ordinary = new Line(oldest.ordinary, totals.ordinary)
  const longer = new Line(oldest.longer, totals.longer)
  ordinary.dropBefore(now - bounds.maxAgeMs, mayDrop)
  longer.dropBefore(now - bounds.maxAgeMs * longerAgeFactor, mayDrop)
  for (;;) {
    const chosen = lineToCut(ordinary, longer, bounds)
    if (chosen === null || !mayDrop()) break
    const other = chosen === ordinary ? longer : ordinary
    if (!chosen.dropOldest(newestSeq) && !other.dropOldest(newestSeq)) break
  }
  ordinary.end()
  longer.end()
  return {
    upTo: { ordinary: ordinary.upTo, longer: longer.upTo },
    totals: { ordinary: ordinary.totals, longer: longer.totals },
    isCut: left < 0,
  }
}

/** What a store says of itself. */
export function statsOf(
  { ordinary, longer }: EvictionRequest['totals'],
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

/** The kind whose oldest profile is removed next; `null` when all fits. The limit that is exceeded decides which share counts. */
function lineToCut(ordinary: Line, longer: Line, { maxCount, maxBytes }: ProfileBounds): Line | null {
  if (ordinary.totals.count + longer.totals.count > maxCount) {
    return longer.totals.count > maxCount * longerShare ? longer : ordinary
  }
  if (ordinary.totals.bytes + longer.totals.bytes > maxBytes) {
    return longer.totals.bytes > maxBytes * longerShare ? longer : ordinary
  }
  return null
}

/** The profiles of one class, oldest first. */
class Line {
  totals: Totals
  upTo: number | null = null
  readonly #profiles: Iterator<Evictable>
  #head: Evictable | undefined
  #wasRead = false

  constructor(profiles: Iterator<Evictable>, totals: Totals) {
    this.#profiles = profiles
    this.totals = totals
  }

  dropBefore(time: number, mayDrop: () => boolean): void {
    for (let head = this.#peek(); head !== undefined && head.time < time && mayDrop(); head = this.#peek())
      this.#drop(head)
  }

  /** Whether there was one to drop that is not the newest of all. */
  dropOldest(newestSeq: number): boolean {
    const head = this.#peek()
    if (head === undefined || head.seq === newestSeq) return false
    this.#drop(head)
    return true
  }

  end(): void {
    this.#profiles.return?.()
  }

  // An empty class is not asked: most writes need no look at one.
  #peek(): Evictable | undefined {
    if (!this.#wasRead) {
      const next = this.totals.count > 0 ? this.#profiles.next() : undefined
      this.#head = next === undefined || next.done === true ? undefined : next.value
      this.#wasRead = true
    }
    return this.#head
  }

  #drop({ seq, bytes }: Evictable): void {
    this.totals = { count: this.totals.count - 1, bytes: this.totals.bytes - bytes }
    this.upTo = seq
    this.#wasRead = false
  }
}
