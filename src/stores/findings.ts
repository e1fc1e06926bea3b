// What a store notices about a profile when it is written: what deserves a look, which family its error belongs to, its
// trace and its version. All of it becomes columns that lists are narrowed and grouped by. Data comes from collectors of any kind, so every step is guarded.

import type { Profile } from '../profiler/profile.ts'
import type { Finding } from '../profiler/profile-store.ts'
import { isErrorOutcome } from '../framework/recording/outcome.ts'

/** A part of a profile that findings are read from. */
export type NoticedProfile = Pick<Profile, 'status' | 'durationMs' | 'errorClass' | 'logErrorCount' | 'data'>

/** A stretch of own code, or waits of others for it, that count as blocking the event loop, in milliseconds. */
const blockingMs = 50
/** Parts of an error family, in characters. */
const maxNameLength = 100
const maxPlaceLength = 160
/** Characters of a version that are kept: an imported profile may name any. */
const maxVersionLength = 64

/**
 * What deserves a look, in the order of `findingNames`. A request blocked the event loop when its code ran for 50 ms without a pause, or
 * others waited so long for it in sum. Collectors may find more: in a list `findings` of entries of the `kind` `n+1` or `blocked`.
 */
export function findingsOf(profile: NoticedProfile, slowMs: number): readonly Finding[] {
  const kinds = kindsOf(profile)
  const found: Finding[] = []
  if (isErrorOutcome(profile)) found.push('error')
  if (profile.durationMs >= slowMs) found.push('slow')
  if (kinds.has('n+1')) found.push('n_plus_one')
  if (kinds.has('blocked') || isBlocking(profile)) found.push('blocked')
  return found
}

/**
 * A name that errors of the same origin share, whatever their messages and line numbers are: the class, the class of the
 * root cause, and the first call of the application's own code. `OrderError ← TypeError in src/prices.ts (PriceList.find)`.
 * `null` where nothing was thrown.
 */
export function errorFamilyOf({ errorClass, data }: Pick<Profile, 'errorClass' | 'data'>): string | null {
  if (errorClass === null) return null
  const errors = listOf(recordOf(data['exception'])['errors']).map(recordOf)
  const root = errors.at(-1)
  const rootClass = root === undefined || errors.length < 2 ? '' : textOf(root['className'])
  const classes = rootClass === '' ? [errorClass] : [errorClass, rootClass]
  const place = ownPlace(errors.toReversed())
  return `${classes.map((name) => name.slice(0, maxNameLength)).join(' ← ')}${place}`
}

/**
 * The trace that a request is a part of: what its calls to other services were sent with, else what it was sent with itself.
 * `null` where neither is known.
 */
export function traceIdOf({ data }: Pick<Profile, 'data'>): string | null {
  const sent = textOf(recordOf(recordOf(data)['http-client'])['traceId'])
  if (/^[0-9a-f]{32}$/.test(sent)) return sent
  for (const field of listOf(recordOf(recordOf(data)['request'])['headers'])) {
    const [name, value] = listOf(field)
    if (textOf(name).toLowerCase() !== 'traceparent') continue
    return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(textOf(value))?.[1] ?? null
  }
  return null
}

/** Version of the application that made a profile, as its configuration has it; `null` where it has none. */
export function versionOf({ data }: Pick<Profile, 'data'>): string | null {
  const version = textOf(recordOf(recordOf(data)['config'])['version'])
  return version === '' ? null : version.slice(0, maxVersionLength)
}

function isBlocking({ data }: NoticedProfile): boolean {
  const { longestStretchMs, blockedOthersMs } = recordOf(recordOf(data)['time'])
  return [longestStretchMs, blockedOthersMs].some((ms) => typeof ms === 'number' && ms >= blockingMs)
}

function kindsOf({ data }: NoticedProfile): ReadonlySet<string> {
  const kinds = new Set<string>()
  for (const part of Object.values(recordOf(data))) {
    for (const finding of listOf(recordOf(part)['findings'])) kinds.add(textOf(recordOf(finding)['kind']))
  }
  return kinds
}

/** Where the innermost error that knows a call of own code comes from. */
function ownPlace(innermostFirst: readonly Readonly<Record<string, unknown>>[]): string {
  for (const error of innermostFirst) {
    const own = listOf(error['frames'])
      .map(recordOf)
      .find(({ origin }) => origin === 'own')
    if (own === undefined) continue
    const functionName = textOf(own['functionName'])
    return ` in ${textOf(own['file']).slice(-maxPlaceLength)}${functionName === '' ? '' : ` (${functionName.slice(0, maxNameLength)})`}`
  }
  return ''
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
