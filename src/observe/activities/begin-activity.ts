// How sources report activities of the running request.

import { currentExchange } from '../../http/kernel/current-exchange.ts'
import { openRecording, ownerOf } from '../owner.ts'
import { noteFailure } from '../tracing-source.ts'
import type { ActivityStart, KindOf, RunningActivity } from './activity.ts'

/**
 * Reports an activity that starts now, in the request that is running. `start` is called only if the activity is recorded; if it
 * returns nothing, there is none, and if it throws, the profile gets a note. Never throws.
 */
export function beginActivity<Facts extends object>(
  kind: KindOf<Facts>,
  start: () => ActivityStart<NoInfer<Facts>> | undefined,
): RunningActivity<Facts> | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  try {
    return ownerOf(recording)?.activitiesOf(recording).begin(kind, start)
  } catch (thrown) {
    noteFailure(kind.name, thrown)
    return undefined
  }
}
