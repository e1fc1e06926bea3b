// Finds a profile by what people write for it: a token, `latest`, the last error.

import { tokenPattern, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import type { ProfilePage, ProfileReader } from '../profile-store.ts'
import type { ProfileFilter } from './filters.ts'

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

/** The newest request that is no 404 of a file that browsers ask for by themselves; if there is none, the newest profile. */
export async function findLatest(
  profiles: Pick<ProfileReader, 'find'>,
): Promise<{ readonly newest: ProfileSummary | undefined } & Pick<ProfilePage, 'missing'>> {
  const newest = await newestThat(
    profiles,
    { type: 'request' },
    ({ status, url }) => status !== 404 || !ofBrowsers.test(url),
  )
  if (newest !== undefined) return { newest }
  const { items, missing } = await profiles.find({}, { limit: 1 })
  return { newest: items[0], ...(missing !== undefined && { missing }) }
}

/** The newest request with a 5xx or with an error that no response of the application was made of. */
export async function findLastError(profiles: Pick<ProfileReader, 'find'>): Promise<ProfileSummary | undefined> {
  const [uncaught, failed] = await Promise.all([
    newestThat(
      profiles,
      { type: 'request', hasError: true },
      ({ status, url }) => (status < 400 || status >= 500) && !ofBrowsers.test(url),
    ),
    newestThat(profiles, { type: 'request', status: '5xx' }, ({ url }) => !ofBrowsers.test(url)),
  ])
  return failed !== undefined && failed.time > (uncaught?.time ?? 0) ? failed : uncaught
}

/** Browsers ask for these by themselves. */
const ofBrowsers = /\/(?:favicon\.ico|apple-touch-icon[\w-]*\.png|com\.chrome\.devtools\.json)(?:$|[?#])/

async function newestThat(
  profiles: Pick<ProfileReader, 'find'>,
  filter: ProfileFilter,
  fits: (profile: ProfileSummary) => boolean,
): Promise<ProfileSummary | undefined> {
  let after: string | null | undefined
  for (let read = 0, limit = 1; read < mostRead && after !== null; read += limit) {
    // Mostly the first one fits.
    limit = read === 0 ? 1 : Math.min(pageSize, mostRead - read)
    const page: ProfilePage = await profiles.find(filter, { limit, ...(after !== undefined && { after }) })
    const found = page.items.find(fits)
    if (found !== undefined) return found
    after = page.next
  }
  return undefined
}
