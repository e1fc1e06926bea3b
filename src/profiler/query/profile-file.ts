// The JSON file that moves profiles between machines; validated in full on import.

import * as v from 'valibot'
import { isRecord } from '../../framework/options/check-options.ts'
import { findingNames, maxTags, tokenPattern, type Profile } from '../profile.ts'
import type { ProfileStore } from '../profile-store.ts'
import { endFindings } from '../assemble-profile.ts'
import { nameError } from '../../framework/http/name-error.ts'

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
    return JSON.parse(isPage(content) ? blockOf(content) : content)
  } catch (cause) {
    if (cause instanceof ProfileFileError) throw cause
    throw new ProfileFileError('the file is not JSON; use a file that "profiles export" wrote as JSON or HTML', {
      cause,
    })
  }
}

function isPage(content: string): boolean {
  return content.slice(0, 100).trimStart().toLowerCase().startsWith('<!doctype html')
}

function blockOf(page: string): string {
  const start = page.indexOf(dataBlock.before)
  const end = page.indexOf(dataBlock.after, start)
  if (start < 0 || end < 0)
    throw new ProfileFileError('the page contains no profile; use a page that "profiles export" wrote')
  return page.slice(start + dataBlock.before.length, end)
}

const token = v.pipe(v.string(), v.regex(tokenPattern, 'a token is 10 to 16 of 0-9 and a-z'))
const text = (length: number): v.GenericSchema<string> => v.pipe(v.string(), v.maxLength(length))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const maxParts = 200
const isPartRecord = (data: unknown): boolean => isRecord(data) && Object.keys(data).length <= maxParts

const finding = v.picklist(findingNames)

const profile: v.GenericSchema<unknown, Profile> = v.pipe(
  v.object({
    token,
    parentToken: v.nullable(token),
    childTokens: v.pipe(v.array(token), v.maxLength(1000)),
    method: text(200),
    url: text(20_000),
    route: v.nullable(text(1000)),
    status: v.pipe(count, v.maxValue(999)),
    ip: text(200),
    // Instants that a Date can hold.
    time: v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15)),
    durationMs: v.pipe(v.number(), v.finite(), v.minValue(0)),
    errorClass: v.nullable(text(1000)),
    handler: text(1000),
    logErrorCount: count,
    logCount: count,
    // Files of earlier versions have none of these.
    findings: v.optional(v.pipe(v.array(finding), v.maxLength(findingNames.length))),
    errorFamily: v.optional(v.nullable(text(1000))),
    errorMessage: v.optional(v.nullable(text(1000)), null),
    traceId: v.optional(
      v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, 'a trace id is 32 of 0-9 and a-f'))),
      null,
    ),
    version: v.optional(v.nullable(text(64)), null),
    service: v.optional(v.nullable(text(64)), null),
    replayOf: v.optional(v.nullable(token), null),
    tags: v.optional(v.pipe(v.array(text(200)), v.maxLength(maxTags)), []),
    ownCpuMs: v.optional(v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))), null),
    queryCount: v.optional(v.nullable(count), null),
    data: v.custom<Profile['data']>(isPartRecord, `data by the names of at most ${maxParts} collectors is allowed`),
  }),
  v.transform((read) => ({
    ...read,
    findings: read.findings ?? endFindings(read),
    errorFamily: read.errorFamily === undefined ? read.errorClass : read.errorFamily,
  })),
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
