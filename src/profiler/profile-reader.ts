// How profiles are read, by pages and tools alike: what is still being recorded or queued counts as there.

import type { Profile } from './profile.ts'
import type { ProfileStore } from './profile-store.ts'

/** Reads profiles. Rejects when the store fails. */
export interface ProfileReader extends Pick<ProfileStore, 'find' | 'group' | 'stats'> {
  /**
   * Calls the listener whenever this process has queued profiles, until what this gives is called. Does not know of other
   * processes. Default: nobody is told.
   */
  watch?(listener: () => void): () => void
  /** One profile, or `undefined` for an unknown, malformed or evicted token. */
  read(token: string): Promise<Profile | undefined>
}
