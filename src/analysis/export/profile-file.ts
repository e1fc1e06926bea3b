// The JSON file that moves profiles between machines; validated in full on import.

import * as v from 'valibot'
import { isRecord } from '../../base/options/check-options.ts'
import {
  fieldList,
  findingNames,
  maxTags,
  noFacts,
  tokenPattern,
  type FieldValues,
  type Profile,
} from '../../observe/profile.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'
import { endFindings } from '../../profiles/assemble-profile.ts'
import { nameError } from '../../base/http/http-error.ts'

interface ProfileFile {
  readonly format: 'fanlight-profile'
  readonly version: 1
  /** The request first, its sub-requests after it. */
  readonly profiles: readonly Profile[]
}

export const maxFileBytes: number = 8 * 1024 * 1024

const maxFileProfiles = 50

/** A file cannot be read. The message says where and what is allowed. */
export class ProfileFileError extends Error {
  readonly code = 'ERR_PROFILE_FILE'
}
nameError(ProfileFileError)

/** The element of a page that holds the file. */
export const dataBlock = {
  before: '<script type="application/json" id="fanlight-profile">',
  after: '</script>',
} as const

const foreignFile = 'it contains no profiles; use a file that "profiles export" wrote as JSON or HTML'

export function profileFile(profiles: readonly Profile[]): ProfileFile {
  return { format: 'fanlight-profile', version: 1, profiles }
}

/** Reads a file, or the one inside a page. Throws a ProfileFileError. */
export function readProfileFile(content: string): readonly Profile[] {
  const result = v.safeParse(schema, parse(content))
  if (!result.success) {
    const [issue] = result.issues
    const place = v.getDotPath(issue) ?? 'the document'
    if (place === 'format' || place === 'the document') throw new ProfileFileError(foreignFile)
    throw new ProfileFileError(`${place.slice(0, 200)}: ${issue.message.slice(0, 300)}`)
  }
  const { profiles } = result.output
  const tokens = new Set(profiles.map(({ token }) => token))
  if (tokens.size < profiles.length) throw new ProfileFileError('profiles: a token appears twice')
  return profiles
}

function parse(content: string): unknown {
  try {
    return JSON.parse(/^\s*<!doctype html/i.test(content.slice(0, 100)) ? blockOf(content) : content)
  } catch (cause) {
    if (cause instanceof ProfileFileError) throw cause
    throw new ProfileFileError('the file is not JSON; use a file that "profiles export" wrote as JSON or HTML', {
      cause,
    })
  }
}

function blockOf(page: string): string {
  const start = page.indexOf(dataBlock.before)
  const end = page.indexOf(dataBlock.after, start)
  if (start < 0 || end < 0)
    throw new ProfileFileError('the page contains no profile; use a page that "profiles export" wrote')
  return page.slice(start + dataBlock.before.length, end)
}

const text = (most: number): v.GenericSchema<string> => v.pipe(v.string(), v.maxLength(most))
const figure = (most: number): v.GenericSchema<number> => v.pipe(v.number(), v.minValue(0), v.maxValue(most))
const token = v.pipe(v.string(), v.regex(tokenPattern, 'a token is 10 to 16 of 0-9 and a-z'))

/** What a field may be; `most` as in its description. */
const schemas: { readonly [Name in keyof FieldValues]: (most?: number) => v.GenericSchema<FieldValues[Name]> } = {
  token: () => token,
  tokens: () => v.pipe(v.array(token), v.maxLength(1000)),
  text: (most = 1000) => text(most),
  traceId: () => v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, 'a trace id is 32 of 0-9 and a-f')),
  count: (most = Number.MAX_SAFE_INTEGER) => v.pipe(figure(most), v.safeInteger()),
  figure: (most = Number.MAX_VALUE) => figure(most),
  findings: () => v.pipe(v.array(v.picklist(findingNames)), v.maxLength(findingNames.length)),
  tags: () => v.pipe(v.array(text(200)), v.maxLength(maxTags)),
}

/** Files of the first versions end before this field. */
const firstLater = fieldList.findIndex(([name]) => name === 'findings')

const summary = Object.fromEntries(
  fieldList.map(([name, { holds, isOptional, most }], index) => {
    const one: v.GenericSchema = schemas[holds](most)
    const orNull = isOptional ? v.nullable(one) : one
    return [name, index < firstLater ? orNull : v.optional(orNull)]
  }),
)

const maxParts = 200
const isPartRecord = (data: unknown): boolean => isRecord(data) && Object.keys(data).length <= maxParts

const profile = v.pipe(
  v.object({
    ...summary,
    data: v.custom<Profile['data']>(isPartRecord, `data by the names of at most ${maxParts} collectors is allowed`),
  }),
  v.transform((read) => {
    // Each field has the schema of what it holds.
    const given = read as Partial<Profile> & Pick<Profile, 'status' | 'errorClass' | 'logErrorCount' | 'durationMs'>
    const { findings = endFindings(given), errorFamily = given.errorClass, tags = [] } = given
    return { ...noFacts, ...given, findings, errorFamily, tags } as Profile
  }),
)

const schema = v.object({
  format: v.literal('fanlight-profile'),
  version: v.literal(1, 'this version reads files of version 1'),
  profiles: v.pipe(v.array(profile), v.minLength(1), v.maxLength(maxFileProfiles)),
})

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
