// Reads a profile by what people write for it.

import { tokenPattern, type Profile } from '../profile.ts'
import type { ProfileReader } from '../profile-store.ts'

/** By its token, or the newest for `latest`; `undefined` if there is none. */
export async function readNamedProfile(
  profiles: Pick<ProfileReader, 'find' | 'read'>,
  name: string,
): Promise<Profile | undefined> {
  const token = name === 'latest' ? (await profiles.find({}, { limit: 1 })).items[0]?.token : name
  return token !== undefined && tokenPattern.test(token) ? profiles.read(token) : undefined
}
