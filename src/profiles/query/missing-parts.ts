// Which parts of a shared store did not respond while something was read, and how pages and commands say it.

import type { GatheringAsked } from '../gather/all.ts'
import type {
  Gathered,
  GroupBy,
  GroupRequest,
  MissingParts,
  PageRequest,
  ProfileGroups,
  ProfilePage,
  ProfileStore,
  ProfileStoreStats,
} from '../profile-store.ts'
import type { ProfileFilter } from './filters.ts'
import type { Profile } from '../../observe/profile.ts'

type Reads = Pick<ProfileStore, 'find' | 'group' | 'gather' | 'read' | 'stats'>

/** Reads as the store does, and notes which parts were missing in anything that was read so far. */
export class NotedReads implements Reads {
  readonly #profiles: Reads
  #missing: MissingParts | undefined

  constructor(profiles: Reads) {
    this.#profiles = profiles
  }

  /** The most that were missing at a time; `undefined`: all parts responded. */
  get missing(): MissingParts | undefined {
    return this.#missing
  }

  async find(filter: ProfileFilter, page?: PageRequest): Promise<ProfilePage> {
    return this.#noted(await this.#profiles.find(filter, page))
  }

  async group(filter: ProfileFilter, by: GroupBy, request?: GroupRequest): Promise<ProfileGroups> {
    return this.#noted(await this.#profiles.group(filter, by, request))
  }

  async gather<Asked extends GatheringAsked>(filter: ProfileFilter, asked: Asked): Promise<Gathered<Asked>> {
    return this.#noted(await this.#profiles.gather(filter, asked))
  }

  async stats(): Promise<ProfileStoreStats> {
    return this.#noted(await this.#profiles.stats())
  }

  async read(token: string): Promise<Profile | undefined> {
    return this.#profiles.read(token)
  }

  #noted<Read extends { readonly missing?: MissingParts }>(read: Read): Read {
    if ((read.missing?.parts ?? 0) > (this.#missing?.parts ?? 0)) this.#missing = read.missing
    return read
  }
}

/** `4 of 12 parts of the store are not reachable; their profiles are missing here.` */
export function missingSentence({ parts, of }: MissingParts): string {
  return parts === 1
    ? `1 of ${of} parts of the store is not reachable; its profiles are missing here.`
    : `${parts} of ${of} parts of the store are not reachable; their profiles are missing here.`
}

/** The same beside a live list: `Live without 4 of 12 parts of the store`. */
export function liveWithout({ parts, of }: MissingParts): string {
  return `Live without ${parts} of ${of} parts of the store`
}

/** In place of an empty list or page, where parts are missing: nobody knows what they hold. */
export const noneReachable = 'The parts of the store that responded have no profiles.'
