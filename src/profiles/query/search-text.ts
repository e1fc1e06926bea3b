// The text of a profile that a search looks at beside what its summary holds.

import { contentText } from '../../http/recording/body-content.ts'
import { fillPlaceholders } from '../../base/log/logger.ts'
import type { Profile, ProfileSummary } from '../../observe/profile.ts'
import type { ProfileReader } from '../profile-store.ts'
import { dataOf, type StoredLine } from '../stored-data.ts'
import { membersOf, listOf } from '../../base/members.ts'

/** Characters of the whole text, of everything but errors and log lines, and of one entry. */
const maxSearchText = 4000
const maxContents = 2000
const maxPart = 400

type Searched = Pick<Profile, 'data'>

/**
 * What `ProfileFilter.text` finds and no column holds: classes and messages of the errors, warnings and errors of the log, then body of
 * the request, dumps, queries, outgoing requests with captured responses, then the other lines of the log. All of it is masked already.
 * Empty if there is nothing of it.
 */
export function searchTextOf(profile: Searched): string {
  const records = dataOf(profile, 'logger')?.records ?? []
  const [problems, others] = [records.filter(isProblem), records.filter((one) => !isProblem(one))]
  const contents = within(maxContents, contentsOf(profile))
  const entries = [
    errorsOf(profile),
    problems.values().map(fillPlaceholders),
    contents,
    others.values().map(fillPlaceholders),
  ]
  return [
    ...within(
      maxSearchText,
      entries.values().flatMap((some) => some),
    ),
  ]
    .join('\n')
    .slice(0, maxSearchText)
}

/** Characters of a hit in front of the words, more to the next blank, and in all. */
const hitContext = { before: 30, whole: 160 } as const

/**
 * Where listed profiles have the words of a search, by their tokens: a line around them, of those whose address and error do not show
 * them. Rejects when the store fails.
 */
export async function readSearchHits(
  profiles: Pick<ProfileReader, 'read'>,
  listed: readonly ProfileSummary[],
  words: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (words === undefined) return new Map()
  const wanted = words.toLowerCase()
  const shows = (text: string | null): boolean => text?.toLowerCase().includes(wanted) === true
  const hidden = listed.filter(({ url, errorMessage }) => !shows(url) && !shows(errorMessage))
  const found = await Promise.all(
    hidden.map(async ({ token }) => {
      const profile = await profiles.read(token)
      const line = profile && searchTextOf(profile).split('\n').find(shows)
      if (line === undefined) return []
      const from = line.toLowerCase().indexOf(wanted) - hitContext.before
      const start = from <= 0 ? 0 : Math.max(from - hitContext.before, line.lastIndexOf(' ', from) + 1)
      return [[token, `${start === 0 ? '' : '…'}${line.slice(start, start + hitContext.whole)}`] as const]
    }),
  )
  return new Map(found.flat())
}

/** Different entries, up to a length. */
function within(length: number, entries: Iterable<string>): ReadonlySet<string> {
  const kept = new Set<string>()
  let left = length
  for (const entry of entries) {
    if (left <= 0) break
    const part = entry.slice(0, maxPart)
    if (!kept.has(part)) left -= part.length
    kept.add(part)
  }
  return kept
}

function errorsOf(profile: Searched): readonly string[] {
  const errors = dataOf(profile, 'exception')?.errors ?? []
  return errors.map(({ className, message }) => `${className}: ${message}`)
}

function* contentsOf(profile: Searched): Iterable<string> {
  const content = dataOf(profile, 'request')?.body?.content ?? null
  if (content !== null) yield contentText(content) ?? ''
  yield* dumpsOf(profile)
  for (const { text } of dataOf(profile, 'database')?.groups ?? []) yield text
  for (const { method, url, requestBody, responseBody } of dataOf(profile, 'http-client')?.calls ?? []) {
    yield `${method} ${url}`
    for (const body of [requestBody, responseBody]) if (typeof body?.text === 'string') yield body.text
  }
}

function* dumpsOf({ data }: Searched): Iterable<string> {
  const { dumps } = membersOf(data['dump'])
  for (const dump of listOf(dumps)) {
    const { label = null, value } = membersOf(dump)
    yield `${typeof label === 'string' ? `${label}: ` : ''}${jsonOf(value)}`
  }
}

/** A text as it is, everything else as JSON. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function isProblem({ level }: StoredLine): boolean {
  return level === 'warn' || level === 'error' || level === 'fatal'
}
