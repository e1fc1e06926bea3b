// The port of stores that make profiles where they run, out of sight of the requests: they take facts instead of profiles.

import type { Profile } from './profile.ts'
import type { ProfileStore } from './profile-store.ts'

/** What makes profiles from facts, in whatever thread: a module that exports `createAssembler`. */
export interface ProfileAssembly {
  /** Address of the module. */
  readonly module: string
  /** What `createAssembler` is called with: plain data, regular expressions besides. */
  readonly options: unknown
}

/** A profile that was made from facts, and the same as JSON on one line. */
export interface AssembledProfile {
  readonly profile: Profile
  readonly json: string
}

/**
 * Makes profiles from the facts of requests, each when it is taken. Taking throws a `ProfileRefusedError` for a request of which no
 * profile can be made.
 */
export type AssembleProfiles = (facts: unknown) => Iterable<AssembledProfile>

/** A store that assembles profiles itself. */
export interface AssemblingStore extends ProfileStore {
  /**
   * As `write`, for the facts of a batch of requests: data that structured cloning takes, masked only when they become profiles.
   * Copies them before it returns, for their memory is used again. Rejects with `DataCloneError` for data that cannot be copied.
   */
  writeFacts(facts: unknown, assembly: ProfileAssembly): Promise<void>
}

/** Whether a store takes facts. */
export function isAssembling(store: ProfileStore): store is AssemblingStore {
  return 'writeFacts' in store && typeof store.writeFacts === 'function'
}
