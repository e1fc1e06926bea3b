// Profiles in the memory of this process: gone when it ends, seen by nobody else.

import { approximateSize } from '../../recording/approximate-size.ts'
import type { Profile } from '../../profiler/profile.ts'
import { ProfileRefusedError, tokenPattern } from '../../profiler/profile-store.ts'
import type {
  GroupBy,
  ListedProfile,
  PageRequest,
  ProfileFilter,
  ProfileGroups,
  ProfilePage,
  ProfileStore,
  ProfileStoreStats,
} from '../../profiler/profile-store.ts'
import type { ProfileBounds, ResolvedEngineOptions } from '../engine-options.ts'
import { errorFamilyOf, findingsOf } from '../findings.ts'
import { groupProfiles, maxGrouped } from '../group-profiles.ts'
import { matchesFilter } from '../matches-filter.ts'
import { cursorOf, pageLimit, rangeOf, type SeqRange } from '../profile-page.ts'

interface Entry {
  readonly seq: number
  readonly bytes: number
  readonly profile: Profile
  readonly listed: ListedProfile
}

/** Keeps profiles as they were handed over; bytes are counted nearly (`approximateSize`). */
export class MemoryProfileStore implements ProfileStore {
  readonly name = 'memory:'
  readonly #bounds: ProfileBounds
  readonly #slowMs: number
  /** In the order of writing, which is the order of `seq`. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #lastSeq = 0

  constructor({ bounds, slowMs }: Pick<ResolvedEngineOptions, 'bounds' | 'slowMs'>) {
    this.#bounds = bounds
    this.#slowMs = slowMs
  }

  async write(profiles: readonly Profile[]): Promise<void> {
    this.#refuse(
      profiles.filter(({ token }) => !tokenPattern.test(token)),
      'a token is 10 to 16 of 0-9 and a-z',
    )
    const batch = new Set<string>()
    const isTaken = (token: string) => this.#entries.has(token) || batch.has(token) || !batch.add(token)
    this.#refuse(
      profiles.filter(({ token }) => isTaken(token)),
      'the token exists already',
    )
    const sizes = profiles.map((profile) => approximateSize(profile))
    this.#refuse(
      profiles.filter((_, index) => (sizes[index] ?? 0) > this.#bounds.maxBytes),
      'it is larger than the store may be',
    )
    for (const [index, profile] of profiles.entries()) {
      const bytes = sizes[index] ?? 0
      const listed = listedOf(profile, this.#slowMs)
      this.#entries.set(profile.token, { seq: ++this.#lastSeq, bytes, profile, listed })
      this.#bytes += bytes
    }
    this.#evict()
  }

  async read(token: string): Promise<Profile | undefined> {
    return this.#entries.get(token)?.profile
  }

  async find(filter: ProfileFilter, page: PageRequest = {}): Promise<ProfilePage> {
    const range = rangeOf(page, this.#lastSeq)
    const newest = cursorOf(this.#lastSeq)
    if (range === undefined) return { items: [], next: null, newest }
    const limit = pageLimit(page.limit)
    const found = this.#newest(filter, range, limit + 1)
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      items: shown.map(({ listed }) => listed),
      next: found.length > limit && last !== undefined ? cursorOf(last.seq) : null,
      newest,
    }
  }

  async group(filter: ProfileFilter, by: GroupBy): Promise<ProfileGroups> {
    const found = this.#newest(filter, { above: 0, below: this.#lastSeq + 1 }, maxGrouped + 1)
    const looked = found.slice(0, maxGrouped).map(({ listed }) => listed)
    return groupProfiles(looked, by, found.length > maxGrouped)
  }

  async purge(before?: number): Promise<number> {
    const count = this.#entries.size
    for (const entry of this.#entries.values()) {
      if (before === undefined || entry.profile.time < before) this.#remove(entry)
    }
    return count - this.#entries.size
  }

  async stats(): Promise<ProfileStoreStats> {
    return { count: this.#entries.size, bytes: this.#bytes, ...this.#bounds }
  }

  #newest(filter: ProfileFilter, { above, below }: SeqRange, limit: number): readonly Entry[] {
    const found: Entry[] = []
    for (const entry of [...this.#entries.values()].reverse()) {
      if (entry.seq <= above || found.length === limit) break
      if (entry.seq < below && matchesFilter(entry.listed, filter)) found.push(entry)
    }
    return found
  }

  #evict(): void {
    const oldestTime = Date.now() - this.#bounds.maxAgeMs
    for (const entry of this.#entries.values()) {
      const full = this.#entries.size > this.#bounds.maxCount || this.#bytes > this.#bounds.maxBytes
      if (!full && entry.profile.time >= oldestTime) break
      this.#remove(entry)
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.profile.token)
    this.#bytes -= entry.bytes
  }

  #refuse(profiles: readonly Profile[], reason: string): void {
    if (profiles.length > 0)
      throw new ProfileRefusedError(
        profiles.map(({ token }) => token),
        reason,
      )
  }
}

function listedOf(profile: Profile, slowMs: number): ListedProfile {
  return {
    token: profile.token,
    parentToken: profile.parentToken,
    childTokens: profile.childTokens,
    method: profile.method,
    url: profile.url,
    route: profile.route,
    status: profile.status,
    ip: profile.ip,
    time: profile.time,
    durationMs: profile.durationMs,
    errorClass: profile.errorClass,
    handler: profile.handler,
    logErrorCount: profile.logErrorCount,
    logCount: profile.logCount,
    findings: findingsOf(profile, slowMs),
    errorFamily: errorFamilyOf(profile),
  }
}
