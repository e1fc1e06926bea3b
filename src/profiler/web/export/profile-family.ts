// What is handed on together: a profile, and those below it.

import type { Profile } from '../../profile.ts'
import type { ProfileStore } from '../../profile-store.ts'
import { maxFileProfiles } from './profile-file.ts'

/** The profile first, then its sub-requests and theirs as far as the store still has them; as many as a file holds. */
export async function readFamily(
  profiles: Pick<ProfileStore, 'read'>,
  profile: Profile,
): Promise<readonly [Profile, ...Profile[]]> {
  const family: [Profile, ...Profile[]] = [profile]
  const known = new Set([profile.token])
  for (const { childTokens } of family) {
    for (const token of childTokens) {
      if (family.length === maxFileProfiles || known.has(token)) continue
      known.add(token)
      const child = await profiles.read(token)
      if (child !== undefined) family.push(child)
    }
  }
  return family
}
