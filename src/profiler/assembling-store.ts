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

/** Makes a profile from the facts of a request. Throws for facts that are none. */
export type AssembleProfile = (facts: unknown) => AssembledProfile

/** A store that assembles profiles itself. */
export interface AssemblingStore extends ProfileStore {
  /**
   * As `write`, for facts: plain data that structured cloning takes, masked only when they become a profile. Rejects with
   * `DataCloneError` for data that cannot be copied.
   */
  writeFacts(facts: readonly unknown[], assembly: ProfileAssembly): Promise<void>
}

/** Whether a store takes facts. */
export function isAssembling(store: ProfileStore): store is AssemblingStore {
  return 'writeFacts' in store && typeof store.writeFacts === 'function'
}
