// What a job carries through its queue: which profile added it, and in which trace.

import { valueOfJson } from '../../../framework/http/json-syntax.ts'
import { parseTraceparent } from '../trace-context.ts'
import { tokenPattern } from '../../profile.ts'

export interface JobOrigin {
  /** Token of the profile. */
  readonly token: string
  readonly traceparent: string
}

const maxLength = 10_000

/** The metadata of a job: what another telemetry wrote, with our member. Empty if there is nothing to tell. */
export function originMetadata(theirs: string | undefined, origin: JobOrigin | null): string {
  if (origin === null) return theirs ?? ''
  const members = readMembers(theirs)
  // Text that is not an object belongs to the other one.
  if (members === undefined) return theirs ?? ''
  return JSON.stringify({ traceparent: origin.traceparent, ...members, fanlight: origin })
}

/** Reads it; `null` if it cannot be used. Anybody who can write to the queue may have written it. */
export function readOrigin(metadata: unknown): JobOrigin | null {
  const origin: unknown = readMembers(metadata)?.['fanlight']
  if (typeof origin !== 'object' || origin === null) return null
  const { token, traceparent } = origin as Readonly<Record<string, unknown>>
  if (typeof token !== 'string' || !tokenPattern.test(token)) return null
  return typeof traceparent === 'string' && parseTraceparent(traceparent) !== null ? { token, traceparent } : null
}

function readMembers(metadata: unknown): Readonly<Record<string, unknown>> | undefined {
  if (metadata === undefined || metadata === '') return {}
  if (typeof metadata !== 'string' || metadata.length > maxLength) return undefined
  const members = valueOfJson(metadata)
  return typeof members === 'object' && members !== null && !Array.isArray(members) ? { ...members } : undefined
}
