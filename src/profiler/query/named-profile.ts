// Finds a profile by what people write for it: a token, `latest`, the last error.

import { tokenPattern, type Profile, type ProfileSummary } from '../profile.ts'
import type { ProfileFilter, ProfilePage, ProfileReader } from '../profile-store.ts'

/** How many profiles are looked at for one that fits. */
const mostRead = 2000
const pageSize = 200

/** By its token, or the newest for `latest`; `undefined` if there is none. */
export async function readNamedProfile(
  profiles: Pick<ProfileReader, 'find' | 'read'>,
  name: string,
): Promise<Profile | undefined> {
  const token = name === 'latest' ? (await findLatest(profiles)).newest?.token : name
  return token !== undefined && tokenPattern.test(token) ? profiles.read(token) : undefined
}

/** What a list shows: without a filter only requests, because tasks and jobs would fill it. */
export function listedFilter(filter: ProfileFilter): ProfileFilter {
  return Object.keys(filter).length === 0 ? { type: 'request' } : filter
}

/** The newest request that is no 404 without a route, such as that of an icon; if there is none, the newest profile. */
export async function findLatest(
  profiles: Pick<ProfileReader, 'find'>,
): Promise<{ readonly newest: ProfileSummary | undefined } & Pick<ProfilePage, 'missing'>> {
  const newest = await newestThat(
    profiles,
    { type: 'request' },
    ({ status, route }) => status !== 404 || route !== null,
  )
  if (newest !== undefined) return { newest }
  const { items, missing } = await profiles.find({}, { limit: 1 })
  return { newest: items[0], ...(missing !== undefined && { missing }) }
}

/** The newest request with a 5xx or with an error that no response of the application was made of; the filter may ask for others. */
export async function findLastError(
  profiles: Pick<ProfileReader, 'find'>,
  filter: ProfileFilter,
): Promise<ProfileSummary | undefined> {
  const { type = 'request', method, status } = filter
  const narrowed: ProfileFilter = method === undefined ? { ...filter, type } : filter
  if (status !== undefined) return (await profiles.find({ ...narrowed, hasError: true }, { limit: 1 })).items[0]
  const [uncaught, [failed]] = await Promise.all([
    newestThat(profiles, { ...narrowed, hasError: true }, (one) => one.status < 400 || one.status >= 500),
    profiles.find({ ...narrowed, status: '5xx' }, { limit: 1 }).then(({ items }) => items),
  ])
  return failed !== undefined && failed.time > (uncaught?.time ?? 0) ? failed : uncaught
}

async function newestThat(
  profiles: Pick<ProfileReader, 'find'>,
  filter: ProfileFilter,
  fits: (profile: ProfileSummary) => boolean,
): Promise<ProfileSummary | undefined> {
  let after: string | null | undefined
  for (let read = 0; read < mostRead && after !== null; read += pageSize) {
    // Mostly the first one fits.
    const limit = read === 0 ? 1 : pageSize
    const page: ProfilePage = await profiles.find(filter, { limit, ...(after !== undefined && { after }) })
    const found = page.items.find(fits)
    if (found !== undefined) return found
    after = page.next
  }
  return undefined
}
