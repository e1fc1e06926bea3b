// A store of several parts, some of which are out of reach, on top of any other: what it gives is what the others hold.

import type {
  FleetStats,
  Gathered,
  GroupBy,
  GroupRequest,
  MissingParts,
  PageRequest,
  ProfileGroups,
  ProfilePage,
  ProfileStore,
  ProfileStoreStats,
} from '../../src/profiles/profile-store.ts'
import { gathererOf, type GatheringAsked, Gathering } from '../../src/profiles/gather.ts'
import type { ProfileFilter } from '../../src/profiles/query/filters.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { groupProfiles } from '../../src/profiles/query/group-profiles.ts'

/** The last character of a token names its part, in base 36. */
export class PartialStore implements ProfileStore {
  readonly name: string = 'partial:'
  readonly parts: number
  /** Parts that are out of reach now. */
  readonly lost: Set<number> = new Set()
  readonly #store: ProfileStore
  readonly #fleet: FleetStats

  constructor(store: ProfileStore, parts: number, fleet: Partial<FleetStats> = {}) {
    this.parts = parts
    this.#store = store
    this.#fleet = { ...idleFleet, ...fleet }
  }

  async write(profiles: readonly Profile[]): Promise<void> {
    return this.#store.write(profiles)
  }

  async read(token: string): Promise<Profile | undefined> {
    if (!this.#hasReached({ token })) throw new Error('Its part of the store is out of reach.')
    return this.#store.read(token)
  }

  async find(filter: ProfileFilter, page?: PageRequest): Promise<ProfilePage> {
    const found = await this.#store.find(filter, page)
    return { ...found, items: found.items.filter(this.#hasReached), ...this.#missing }
  }

  async group(filter: ProfileFilter, by: GroupBy, request?: GroupRequest): Promise<ProfileGroups> {
    const { items } = await this.#store.find(filter, { limit: 200 })
    return { ...groupProfiles(items.filter(this.#hasReached), by, false, request), ...this.#missing }
  }

  async gather<Asked extends GatheringAsked>(filter: ProfileFilter, asked: Asked): Promise<Gathered<Asked>> {
    const gathering = new Gathering(gathererOf(asked))
    const { items } = await this.find(filter, { limit: 200 })
    for (const { token } of items.filter((summary) => gathering.wants(summary))) {
      const profile = await this.read(token)
      if (profile !== undefined) gathering.add(profile, 0)
    }
    return { ...gathering.found(false), ...this.#missing }
  }

  async purge(before?: number): Promise<number> {
    return this.#store.purge(before)
  }

  async stats(): Promise<ProfileStoreStats> {
    return { ...(await this.#store.stats()), fleet: this.#fleet, ...this.#missing }
  }

  readonly #hasReached = ({ token }: Pick<Profile, 'token'>): boolean =>
    !this.lost.has(Number.parseInt(token.slice(-1), 36) % this.parts)

  get #missing(): { readonly missing?: MissingParts } {
    return this.lost.size === 0 ? {} : { missing: { parts: this.lost.size, of: this.parts } }
  }
}

const idleFleet: FleetStats = {
  held: 0,
  heldBytes: 0,
  maxHeld: 2000,
  maxHeldBytes: 32 * 1024 * 1024,
  late: 0,
  dropped: 0,
  unconfirmed: 0,
  outage: null,
}
