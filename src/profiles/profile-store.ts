// The port behind which profiles are kept, and what a store says of those that it does not take. Engines implement it; `test/contract/`
// holds the suite that all of them pass.

import type { GatheringAsked, GatheringFound, GatheredFrom } from './gather.ts'
import type { Profile, ProfileSummary } from '../observe/profile.ts'
import type { ProfileFilter } from './query/filters.ts'
import { brandError } from '../base/http/http-error.ts'

/** A page of the list. */
export interface ProfilePage {
  /** Newest first. */
  readonly items: readonly ProfileSummary[]
  /** Cursor of the page after this one (older profiles), or `null` at the end. Opaque; holds no request data. */
  readonly next: string | null
  /** Cursor of the newest profile that the store had, whatever the filter: `newerThan` asks for what came after it. */
  readonly newest: string
  /** How many of the newest profiles were searched or sorted; the older ones were not. Default: all were. */
  readonly searchedNewest?: number
  /** How many profiles match on all pages, at most `countUpTo`. Default: nobody asked. */
  readonly matched?: number
  /** Parts of the store that did not respond; their profiles are not in the list. Default: all responded. */
  readonly missing?: MissingParts
}

/** Parts of a store that did not respond within two seconds. */
export interface MissingParts {
  readonly parts: number
  /** How many the store has. */
  readonly of: number
}

/** What a list is ordered by: the newest, the slowest, or those with most queries or log lines first. */
export type ProfileOrder = 'newest' | 'slowest' | 'queries' | 'logs'

/** All of them, in the order in which they are offered. */
export const profileOrders: readonly ProfileOrder[] = ['newest', 'slowest', 'queries', 'logs']

/** Which part of a list is asked for. */
export interface PageRequest {
  /** Cursor of the page before: older profiles follow. */
  readonly after?: string
  /** Cursor that an earlier page gave as `newest`: only profiles that came later. Of a store that was emptied since: all. */
  readonly newerThan?: string
  /** 1–200, default 25. */
  readonly limit?: number
  /** Default: the newest first. Every other order looks at the newest 10,000 profiles only. */
  readonly order?: ProfileOrder
  /** Only the neighbour of this profile in the list, whether the filter leaves the profile or not. */
  readonly beside?: { readonly token: string; readonly side: 'before' | 'after' }
  /** Count the profiles that match, at most so many. Default: nothing is counted. */
  readonly countUpTo?: number
}

/** What profiles are counted by: the name of the route, or the version of the application. */
export type GroupBy = 'route' | 'version'

/** All of them, in the order in which they are offered. */
export const groupings: readonly GroupBy[] = ['route', 'version']

/** Profiles that have something in common. Percentiles by nearest rank. */
export interface ProfileGroup {
  /** Name of the route (`null`: none matched), or version (`null`: none was named). */
  readonly key: string | null
  readonly count: number
  /** How many of them have the finding `error`. */
  readonly errorCount: number
  readonly p50Ms: number
  readonly p95Ms: number
  /** Median of the milliseconds for which own code ran; `null` where none of them was measured. */
  readonly ownCpuP50Ms: number | null
  /** Queries to databases and caches, on average; `null` where none of them knows. */
  readonly meanQueries: number | null
  /** When the latest one began, milliseconds since 1970. */
  readonly lastTime: number
  /** Token of the newest one. */
  readonly lastToken: string
  /** What its newest error says; `null` if it has none. */
  readonly lastMessage: string | null
  /** How many began in each of 24 equal parts of the time from the first to the last profile that was counted in any group. */
  readonly strip: readonly number[]
  /** Each of its profiles but the warm-up, the oldest first. Only of groups for a comparison. */
  readonly samples?: readonly GroupSample[]
  /** The group by service, by route or command and by error, the newest part first. Only if they are asked for. */
  readonly parts?: readonly GroupPart[]
}

/** Profiles of a group that share service, route or command, error and finding `error`. */
export interface GroupPart extends Pick<ProfileGroup, 'count' | 'lastTime' | 'lastToken' | 'lastMessage'> {
  /** When the first one began that was counted, milliseconds since 1970. */
  readonly firstTime: number
  readonly service: string | null
  /** Name of the route; `null`: none matched, or a command. */
  readonly route: string | null
  /** Name of the command, job or task; `null`: a request. */
  readonly command: string | null
  /** What has that name. Default: a command. */
  readonly runType?: 'job' | 'task'
  /** Whether a page reported it from a browser. */
  readonly isBrowser: boolean
  /** `null`: nothing was thrown. */
  readonly errorFamily: string | null
  /** Whether they have the finding `error`. */
  readonly isError: boolean
  /** When each of them began, the newest first; empty where nothing was thrown. */
  readonly times: readonly number[]
}

/** What a comparison takes from one profile. */
export interface GroupSample {
  readonly durationMs: number
  readonly ownCpuMs: number | null
  readonly queryCount: number | null
  /** Whether it has the finding `error`. */
  readonly isError: boolean
}

/** How profiles are counted. */
export interface GroupRequest {
  /** Leave the first profiles of each group of eight or more out of its times and queries as warm-up, at most five and at most a quarter; and give samples. Default: no. */
  readonly isForComparison?: boolean
  /** Give the parts of each group. Default: no. */
  readonly withParts?: boolean
}

/** A grouping, and what it was made from. */
export interface ProfileGroups {
  readonly by: GroupBy
  /** The most frequent first, 200 at most. */
  readonly groups: readonly ProfileGroup[]
  /** How many profiles they were made from. */
  readonly count: number
  /** Whether the filter leaves older profiles that were not looked at: work is bounded by the newest 10,000. */
  readonly isCut: boolean
  /** Groups beyond 200 that were left out. */
  readonly omitted: number
  /** Parts of the store that did not respond; their profiles are not counted. Default: all responded. */
  readonly missing?: MissingParts
}

/** What was put together from the data of profiles. */
export type Gathered<Asked extends GatheringAsked> = GatheringFound<Asked> & GatheredFrom

/** What a store holds, and its bounds. */
export interface ProfileStoreStats {
  readonly count: number
  readonly bytes: number
  readonly maxCount: number
  readonly maxBytes: number
  /** Of ordinary profiles. */
  readonly maxAgeMs: number
  /** Profiles with findings, which are kept longer. Default: the store makes no difference. */
  readonly longer?: LongerStats
  /** When the oldest one began, milliseconds since 1970; `null` if there is none. Default: unknown. */
  readonly oldestTime?: number | null
  /** When this process last had to open its store again. Default: never. */
  readonly reopened?: ReopenedStore | null
  /** Parts of the store that did not respond; `count`, `bytes` and `oldestTime` are of the others. Default: all responded. */
  readonly missing?: MissingParts
  /** What several machines share. Default: the store belongs to one machine. */
  readonly fleet?: FleetStats
}

/** A store that went on with another file: what was in the one before is not in it. */
export interface ReopenedStore {
  /** Milliseconds since 1970. */
  readonly time: number
  /** `gone`: the file was moved, removed or replaced. */
  readonly reason: 'gone' | 'damaged'
}

/** How a store keeps profiles with findings. */
interface LongerStats {
  readonly count: number
  readonly bytes: number
  /** Share of the room that ordinary profiles cannot take from them, 0 to 1. */
  readonly share: number
  readonly maxAgeMs: number
}

/** Keeps profiles within bounds of count, bytes and age. Never returns a torn profile. */
export interface ProfileStore {
  /** For people: `memory:`, `sqlite:var/fanlight.db`. */
  readonly name: string
  /**
   * Writes a batch in one go, all or none. Oldest profiles beyond the bounds go away in the same step. A token that exists
   * or is malformed, and data that is not JSON, is refused: rejects with `ProfileRefusedError` naming the tokens at fault.
   */
  write(profiles: readonly Profile[]): Promise<void>
  /** One profile, or `undefined` for an unknown, malformed or evicted token. */
  read(token: string): Promise<Profile | undefined>
  /** Summaries, newest first. A malformed cursor is an empty page. */
  find(filter: ProfileFilter, page?: PageRequest): Promise<ProfilePage>
  /** Counts the newest profiles that the filter leaves. */
  group(filter: ProfileFilter, by: GroupBy, request?: GroupRequest): Promise<ProfileGroups>
  /** Reads the newest profiles that the filter leaves, and puts together what was asked for. */
  gather<Asked extends GatheringAsked>(filter: ProfileFilter, asked: Asked): Promise<Gathered<Asked>>
  /** Removes all, or those from before an instant; says how many. */
  purge(before?: number): Promise<number>
  stats(): Promise<ProfileStoreStats>
  /** Holds the process at its end until all calls so far are done, for so many milliseconds at most. Default: nothing to wait for. */
  settle?(budgetMs: number): void
  /**
   * The last letter for a new token, one of `0-9a-z`; asked for every token, never waits. A store of several parts finds the part of a
   * profile by it. Default: any letter.
   */
  newTokenEnding?(): string
}

/** Reads profiles. Rejects when the store fails. */
export interface ProfileReader extends Pick<ProfileStore, 'read' | 'find' | 'group' | 'gather' | 'stats'> {}

/** How a store that several machines share fares, as this process sees it. */
export interface FleetStats {
  /** Profiles that wait until their part of the store takes them. */
  readonly held: number
  readonly heldBytes: number
  /** Profiles at most that may wait so; what comes beyond it, or beyond its bytes, is dropped. */
  readonly maxHeld: number
  readonly maxHeldBytes: number
  /** Profiles that waited so and were stored in the end. */
  readonly late: number
  /** Profiles that waited so and were given up. */
  readonly dropped: number
  /** Profiles that are stored, though no replica confirmed it. */
  readonly unconfirmed: number
  /** What cannot be reached now; `null`: nothing. */
  readonly outage: FleetOutage | null
}

/** Why a shared store, or a part of it, cannot be reached. */
export interface FleetOutage {
  /** Milliseconds since 1970. */
  readonly since: number
  /** One sentence. */
  readonly reason: string
}

/** A batch was not written because of some of its profiles; without them it can be written again. */
export class ProfileRefusedError extends Error {
  readonly code = 'ERR_PROFILE_REFUSED'
  /** The profiles at fault, as they were sent; never empty. */
  readonly tokens: readonly string[]
  /** What is wrong with them: `the token exists already`. */
  readonly reason: string

  constructor(tokens: readonly string[], reason: string, options?: ErrorOptions) {
    const names = tokens.map((token) => JSON.stringify(token)).join(', ')
    super(`${tokens.length === 1 ? 'Profile' : 'Profiles'} ${names} refused: ${reason}.`, options)
    this.tokens = tokens
    this.reason = reason
  }
}
export const isProfileRefusedError: (value: unknown) => value is ProfileRefusedError = brandError(
  ProfileRefusedError,
  'ProfileRefusedError',
)

/** What stores say of profiles that they have already, and of those that they have no room for. */
export const takenToken = 'the token exists already'
export const tooLarge = 'it is larger than the store may be'

/** Throws the error for these profiles, if there are any. */
export function refuseProfiles(profiles: readonly { readonly token: string }[], reason: string): void {
  if (profiles.length === 0) return
  throw new ProfileRefusedError(
    profiles.map(({ token }) => token),
    reason,
  )
}

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

  readonly find: Reads['find'] = async (...asked) => this.#noted(await this.#profiles.find(...asked))
  readonly group: Reads['group'] = async (...asked) => this.#noted(await this.#profiles.group(...asked))
  readonly gather: Reads['gather'] = async (...asked) => this.#noted(await this.#profiles.gather(...asked))
  readonly stats: Reads['stats'] = async () => this.#noted(await this.#profiles.stats())
  readonly read: Reads['read'] = (token) => this.#profiles.read(token)

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

/** In place of an empty list or page, where parts are missing: nobody knows what they hold. */
export const noneReachable = 'The parts of the store that responded have no profiles.'

export function nothingYet(missing: MissingParts | undefined): string {
  return missing === undefined ? 'No request has been profiled yet: open a page of the application.' : noneReachable
}
