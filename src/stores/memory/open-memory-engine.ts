// The engine whose stores live in the memory of this process.

import { openLock, isOlder } from '../lock/lock-members.ts'
import type { LockState } from '../../profiles/lock.ts'
import { recordsOver, versionField, type Documents } from '../collections.ts'
import { type EngineOptions, resolveEngineOptions, type ProfileBounds, type Engine } from '../engine.ts'
import { StoredLock, type LockPlace } from '../stored-lock.ts'
import { wallMs } from '../../base/timing/builtins.ts'
import { approximateSize } from '../../http/recording/approximate-size.ts'
import { type Profile, tokenPattern, type ProfileSummary } from '../../observe/profile.ts'
import { refuseProfiles, takenToken, tooLarge } from '../../profiles/profile-store.ts'
import type { PageRequest, ProfileStore, ProfileStoreStats } from '../../profiles/profile-store.ts'
import { gathererOf, Gathering } from '../../profiles/gather.ts'
import { type ProfileFilter, matchesFilter } from '../../profiles/query/filters.ts'
import {
  nextToGo,
  statsOf,
  type KeepingClass,
  type Totals,
  compareBy,
  pageLimit,
  pageOf,
  rangeOf,
  searchedNewest,
  type SeqRange,
} from '../profile-keeping.ts'
import { groupProfiles, maxGrouped } from '../../profiles/query/group-profiles.ts'
import { searchTextOf } from '../../profiles/query/search-text.ts'

/** Opens an empty engine; what it keeps goes away with the last reference to it. */
export async function openMemoryEngine(options?: EngineOptions): Promise<Engine> {
  const documents = memoryDocuments()
  return {
    name: 'memory:',
    profiles: new MemoryProfileStore(resolveEngineOptions(options).bounds),
    lock: new StoredLock('memory:', memoryLock(), documents),
    ...recordsOver('memory:', documents),
    close: async () => {},
  }
}

function memoryDocuments(): Documents {
  const hashes = new Map<string, Map<string, string>>()
  return {
    get: async (hash, field) => hashes.get(hash)?.get(field) ?? null,
    getAll: async (hash) => [...(hashes.get(hash) ?? [])],
    set: async (hash, fields, { expected } = {}) => {
      const kept = hashes.get(hash)
      if (expected !== undefined && expected !== (kept?.get(versionField) ?? null)) return false
      const all = new Map([...(kept ?? []), ...fields])
      hashes.set(hash, new Map([...all].filter((field): field is [string, string] => field[1] !== null)))
      return true
    },
    add: async (hash, field, count) => {
      const kept = new Map(hashes.get(hash))
      hashes.set(hash, kept.set(field, String(Number(kept.get(field) ?? 0) + count)))
    },
  }
}

function memoryLock(): LockPlace {
  let kept = openLock
  const write = async (state: LockState): Promise<void> => void (kept = state)
  return {
    read: async () => kept,
    write,
    restore: async (state) => {
      if (!isOlder(kept, state)) return false
      await write(state)
      return true
    },
  }
}

interface Entry {
  readonly seq: number
  readonly bytes: number
  readonly time: number
  readonly profile: Profile
  readonly summary: ProfileSummary
  /** Made with the first search. */
  searchText?: string
}

/** Keeps profiles as it gets them; bytes are estimated (`approximateSize`). */
class MemoryProfileStore implements ProfileStore {
  readonly name = 'memory:'
  readonly #bounds: ProfileBounds
  /** In the order of writing, which is the order of `seq`. */
  readonly #entries = new Map<string, Entry>()
  /** The same entries, in the same order. */
  readonly #classes: Readonly<Record<KeepingClass, Set<Entry>>> = { ordinary: new Set(), longer: new Set() }
  #totals: Readonly<Record<KeepingClass, Totals>> = { ordinary: noTotals, longer: noTotals }
  #lastSeq = 0

  constructor(bounds: ProfileBounds) {
    this.#bounds = bounds
  }

  async write(profiles: readonly Profile[]): Promise<void> {
    const malformed = profiles.filter(({ token }) => !tokenPattern.test(token))
    refuseProfiles(malformed, 'a token is 10 to 16 of 0-9 and a-z')
    const batch = new Set<string>()
    const isTaken = (token: string) => this.#entries.has(token) || batch.has(token) || !batch.add(token)
    const taken = profiles.filter(({ token }) => isTaken(token))
    refuseProfiles(taken, takenToken)
    const sizes = profiles.map((profile) => approximateSize(profile))
    const tooBig = profiles.filter((_, index) => (sizes[index] ?? 0) > this.#bounds.maxBytes)
    refuseProfiles(tooBig, tooLarge)
    for (const [index, profile] of profiles.entries()) {
      const bytes = sizes[index] ?? 0
      const { data: _, ...summary } = profile
      this.#add({ seq: ++this.#lastSeq, bytes, time: profile.time, profile, summary })
    }
    this.#evict()
  }

  async read(token: string): Promise<Profile | undefined> {
    return this.#entries.get(token)?.profile
  }

  readonly find: ProfileStore['find'] = async (filter, page = {}) => {
    const { order = 'newest', beside, countUpTo } = page
    const range = rangeOf(page, this.#lastSeq)
    const limit = beside === undefined ? pageLimit(page.limit) : 1
    const most = searchedNewest(filter, order)
    const isSimple = order === 'newest' && beside === undefined
    const found =
      range === undefined
        ? []
        : isSimple
          ? this.#newest(filter, range, limit + 1, most)
          : this.#ordered(filter, page, range).slice(0, limit + 1)
    const isCut = this.#entries.size > most && (order !== 'newest' || found.length <= limit)
    return {
      ...pageOf(found, limit, this.#lastSeq, ({ summary }) => summary),
      ...(isCut && { searchedNewest: most }),
      ...(countUpTo !== undefined && { matched: this.#newest(filter, this.#all, countUpTo, most).length }),
    }
  }

  readonly group: ProfileStore['group'] = async (filter, by, request) => {
    const most = searchedNewest(filter)
    const found = this.#newest(filter, this.#all, maxGrouped + 1, most)
    const looked = found.slice(0, maxGrouped).map(({ summary }) => summary)
    return groupProfiles(looked, by, found.length > maxGrouped || this.#entries.size > most, request)
  }

  readonly gather: ProfileStore['gather'] = async (filter, asked) => {
    const gathering = new Gathering(gathererOf(asked))
    const most = searchedNewest(filter)
    const found = this.#newest(filter, this.#all, Number.POSITIVE_INFINITY, most)
    for (const { summary, profile, bytes } of found) if (gathering.wants(summary)) gathering.add(profile, bytes)
    return gathering.found(this.#entries.size > most)
  }

  async purge(before?: number): Promise<number> {
    const count = this.#entries.size
    for (const entry of this.#entries.values()) if (before === undefined || entry.time < before) this.#forget(entry)
    return count - this.#entries.size
  }

  async stats(): Promise<ProfileStoreStats> {
    const times = [this.#classes.ordinary, this.#classes.longer].flatMap(([oldest]) => oldest?.time ?? [])
    return statsOf(this.#totals, this.#bounds, times.length === 0 ? null : Math.min(...times))
  }

  get #all(): SeqRange {
    return { above: 0, below: this.#lastSeq + 1 }
  }

  /** Looks at so many of the newest entries, at most. */
  #newest(filter: ProfileFilter, { above, below }: SeqRange, limit: number, most: number): readonly Entry[] {
    const found: Entry[] = []
    let looked = 0
    for (const entry of [...this.#entries.values()].reverse()) {
      if (entry.seq <= above || found.length === limit || looked === most) break
      looked += 1
      const searchText = (): string => (entry.searchText ??= searchTextOf(entry.profile))
      if (entry.seq < below && matchesFilter(entry.summary, filter, searchText)) found.push(entry)
    }
    return found
  }

  /** What follows a cursor or a profile in the list, or what comes before it, the nearest first. */
  #ordered(filter: ProfileFilter, { order = 'newest', beside, after }: PageRequest, range: SeqRange): readonly Entry[] {
    const most = searchedNewest(filter, order)
    const whole = { above: range.above, below: this.#lastSeq + 1 }
    const compare = compareBy(order)
    const list = this.#newest(filter, whole, Number.POSITIVE_INFINITY, most).toSorted(compare)
    if (beside === undefined && after === undefined) return list
    const place =
      beside === undefined
        ? this.#entries.values().find(({ seq }) => seq === range.below)
        : this.#entries.get(beside.token)
    if (place === undefined) return []
    if (beside?.side === 'before') return list.filter((entry) => compare(entry, place) < 0).reverse()
    return list.filter((entry) => compare(entry, place) > 0)
  }

  #add(entry: Entry): void {
    const name = classOf(entry)
    this.#entries.set(entry.profile.token, entry)
    this.#classes[name].add(entry)
    this.#count(name, 1, entry.bytes)
  }

  #count(name: KeepingClass, count: number, bytes: number): void {
    const before = this.#totals[name]
    this.#totals = { ...this.#totals, [name]: { count: before.count + count, bytes: before.bytes + bytes } }
  }

  #evict(): void {
    const now = wallMs()
    for (;;) {
      const [ordinary] = this.#classes.ordinary
      const [longer] = this.#classes.longer
      const oldest = { ordinary, longer }
      const seq = nextToGo({ oldest, totals: this.#totals, bounds: this.#bounds, newestSeq: this.#lastSeq, now })
      const entry = [ordinary, longer].find((one) => one?.seq === seq)
      if (entry === undefined) return
      this.#forget(entry)
    }
  }

  #forget(entry: Entry): void {
    const name = classOf(entry)
    this.#entries.delete(entry.profile.token)
    this.#classes[name].delete(entry)
    this.#count(name, -1, -entry.bytes)
  }
}

const noTotals: Totals = { count: 0, bytes: 0 }

function classOf({ summary }: Entry): KeepingClass {
  return summary.findings.length === 0 ? 'ordinary' : 'longer'
}
