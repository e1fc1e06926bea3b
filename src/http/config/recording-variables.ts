// Variables of recording: what is recorded, and how much of it is kept.

import { createSecretKey, type KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { mask } from '../../base/redact/rules.ts'
import { RuntimeContextError, type ReadVariable, type VariablesOf } from './variable.ts'

/** Settings of recording; `null` if the variable is not set. */
export interface RecordingContext {
  /** `all`: every request, as far as sampling goes; `on-demand`: those with a signed header only. */
  readonly mode: 'all' | 'on-demand'
  /** Share of the requests that are recorded, 0 to 1. */
  readonly sampleRate: number | null
  /** Key of the signed header. Never printed. */
  readonly signingKey: KeyObject | null
  /** Most profiles to keep. */
  readonly maxProfiles: number | null
  /** Most bytes of profiles to keep. */
  readonly maxBytes: number | null
  /** How long ordinary profiles are kept, in milliseconds. */
  readonly maxAgeMs: number | null
}

const count = (most: number): v.GenericSchema<string, number> =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/),
    v.transform(Number),
    v.check((value) => value >= 1 && value <= most),
  )

export interface RecordingValues {
  readonly APP_RECORD: 'all' | 'on-demand'
  readonly APP_RECORD_SAMPLE: number
  readonly APP_RECORD_SECRET: KeyObject
  readonly APP_PROFILES_COUNT: number
  readonly APP_PROFILES_MEGABYTES: number
  readonly APP_PROFILES_DAYS: number
}

/** The variables, in the order in which they are checked. */
export const recordingVariables: VariablesOf<RecordingValues> = {
  APP_RECORD: { schema: v.picklist(['all', 'on-demand']), allowed: 'all, on-demand' },
  APP_RECORD_SAMPLE: {
    schema: v.pipe(v.string(), v.regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/), v.transform(Number)),
    allowed: 'a number from 0 to 1 such as 0.05',
  },
  APP_RECORD_SECRET: {
    schema: v.pipe(
      v.string(),
      v.regex(/^[!-~]{32,512}$/),
      v.transform((secret) => createSecretKey(secret, 'utf8')),
    ),
    // 32 random characters of base64 are 192 bits.
    allowed: '32 to 512 characters of ASCII without spaces, for example what "openssl rand -base64 32" prints',
    show: () => mask,
  },
  APP_PROFILES_COUNT: { schema: count(100_000_000), allowed: 'a whole number from 1 such as 10000' },
  APP_PROFILES_MEGABYTES: { schema: count(1_000_000), allowed: 'a whole number from 1 such as 256' },
  APP_PROFILES_DAYS: { schema: count(3650), allowed: 'a whole number from 1 to 3650 such as 7' },
}

/** Throws a RuntimeContextError for a wrong value, and for `on-demand` without a secret. */
export function recordingContext(read: ReadVariable<RecordingValues>): RecordingContext {
  const mode = read('APP_RECORD', 'all')
  const sampleRate = read('APP_RECORD_SAMPLE', null)
  const signingKey = read('APP_RECORD_SECRET', null)
  if (mode === 'on-demand' && signingKey === null) {
    throw new RuntimeContextError(
      `APP_RECORD="on-demand" needs APP_RECORD_SECRET: ${recordingVariables.APP_RECORD_SECRET.allowed}`,
      { variable: 'APP_RECORD' },
    )
  }
  const megabytes = read('APP_PROFILES_MEGABYTES', null)
  const days = read('APP_PROFILES_DAYS', null)
  return Object.freeze({
    mode,
    sampleRate,
    signingKey,
    maxProfiles: read('APP_PROFILES_COUNT', null),
    maxBytes: megabytes === null ? null : megabytes * 1024 * 1024,
    maxAgeMs: days === null ? null : days * 86_400_000,
  })
}
