// Every bound of recording that is no rule, for people: of one profile, of the queue and of the store.

import { maxOutgoing } from './capture/outgoing-requests.ts'
import { maxQueries } from './capture/queries.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { defaultBounds } from '../stores/engine-options.ts'
import { longerAgeFactor } from '../stores/evict.ts'
import { formatBytes } from '../framework/html/components.ts'
import { defaultMaxRecords } from '../framework/log/record-logger.ts'
import { maxProfileBytes } from './profile-parts.ts'
import { maxDumps } from './dump.ts'
import type { LimitInForce } from './keeping/recording-rules.ts'
import { profileWriterDefaults } from './profile-writer-options.ts'
import { defaultMaxSpans } from '../framework/timing/stopwatch.ts'

/** Names, values, and the variables that set them. */
export function recorderLimits({ recording }: Pick<RuntimeContext, 'recording'>): readonly LimitInForce[] {
  const { maxProfiles, maxBytes, maxAgeMs } = recording
  const ageMs = maxAgeMs ?? defaultBounds.maxAgeMs
  return [
    bound('Profiles in the store', count(maxProfiles ?? defaultBounds.maxCount), maxProfiles, 'APP_PROFILES_COUNT'),
    bound('Size of all profiles', formatBytes(maxBytes ?? defaultBounds.maxBytes), maxBytes, 'APP_PROFILES_MEGABYTES'),
    bound('Age of profiles', days(ageMs), maxAgeMs, 'APP_PROFILES_DAYS'),
    bound('Age of profiles with findings', days(ageMs * longerAgeFactor), maxAgeMs, 'APP_PROFILES_DAYS'),
    fixed('Size of one profile', formatBytes(maxProfileBytes)),
    fixed('Log lines of a request', count(defaultMaxRecords)),
    fixed('Spans of a request', count(defaultMaxSpans)),
    fixed('Queries of a request', count(maxQueries)),
    fixed('Outgoing requests of a request', count(maxOutgoing)),
    fixed('Dumps of a request', count(maxDumps)),
    fixed('Profiles that wait for the store', count(profileWriterDefaults.maxQueued)),
    fixed('Size of all that wait', formatBytes(profileWriterDefaults.maxQueuedBytes)),
  ]
}

function bound(name: string, value: string, set: number | null, variable: string): LimitInForce {
  return { name, value, from: set === null ? 'default' : variable }
}

function fixed(name: string, value: string): LimitInForce {
  return { name, value, from: 'fixed' }
}

function days(ms: number): string {
  const whole = Math.round(ms / 86_400_000)
  return whole === 1 ? '1 day' : `${whole} days`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
