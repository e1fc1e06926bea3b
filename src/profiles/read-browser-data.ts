// Gathers what the pages of one request reported: their profiles are its sub-requests with the method BROWSER.

import { fieldValue } from '../base/http/header-fields.ts'
import { browserMethod, type Profile, type ProfileSummary } from '../observe/profile.ts'
import type { ProfileReader } from './profile-store.ts'
import { dataOf } from './stored-data.ts'
import { mergeBrowserData } from '../observe/browser/browser-data.ts'

/** Reports that are read of one page, the newest. */
const maxReports = 100

/** The profile with `data.browser`, if its pages reported anything. Rejects when the store fails. */
export async function withBrowserData(
  profiles: Pick<ProfileReader, 'find' | 'read'>,
  profile: Profile,
): Promise<Profile> {
  if (!isPage(profile)) return profile
  const { items } = await profiles.find({ parentToken: profile.token, method: browserMethod }, { limit: maxReports })
  if (items.length === 0) return profile
  const reports = await Promise.all(items.map(({ token }) => profiles.read(token)))
  const known = [profile, ...reports].flatMap((one) => (one && dataOf(one, 'browser')) ?? [])
  const browser = mergeBrowserData(known)
  return { ...profile, data: { ...profile.data, browser } }
}

/** Whether a browser was sent a page. */
function isPage(profile: Profile): boolean {
  const fields = profile.parentToken === null ? (dataOf(profile, 'request')?.responseHeaders ?? []) : []
  return /^\s*text\/html/i.test(fieldValue(fields, 'content-type') ?? '')
}

/** Errors of pages that a list looks at, the newest. */
const maxListed = 200

/** How many different errors the pages of listed requests reported, by the token of the request. Rejects when the store fails. */
export async function countPageErrors(
  profiles: Pick<ProfileReader, 'find'>,
  listed: readonly ProfileSummary[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  if (listed.length === 0) return counts
  const since = Math.min(...listed.map(({ time }) => time))
  const { items } = await profiles.find({ method: browserMethod, hasError: true, since }, { limit: maxListed })
  for (const { parentToken } of items) {
    if (parentToken !== null) counts.set(parentToken, (counts.get(parentToken) ?? 0) + 1)
  }
  return counts
}
