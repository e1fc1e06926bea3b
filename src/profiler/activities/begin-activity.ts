// How sources report activities of the running request.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import { openRecording, ownerOf } from '../capture/owner.ts'
import { noteFailure } from '../capture/sources/tracing-source.ts'
import type { ActivityStart, RunningActivity } from './activity.ts'
import type { ActivityFacts, ActivityName } from './kinds.ts'

/**
 * Reports an activity that starts now, in the request that is running. `start` is called only if the activity is recorded; if it
 * returns nothing, there is none, and if it throws, the profile gets a note. Never throws.
 */
export function beginActivity<Name extends ActivityName>(
  name: Name,
  start: () => ActivityStart<ActivityFacts[Name]> | undefined,
): RunningActivity<ActivityFacts[Name]> | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  try {
    return ownerOf(recording)?.activitiesOf(recording).begin(name, start)
  } catch (thrown) {
    noteFailure(name, thrown)
    return undefined
  }
}
