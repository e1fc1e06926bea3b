// Notes a decision about access in the profile of the running request.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { ActivityOwner, RunningActivity } from '../../profiler/activities/activity.ts'
import type { AccessFacts } from '../../profiler/activities/kinds.ts'
import { openRecording, ownerName } from '../../profiler/capture/owner.ts'
import { userOf } from '../../profiler/client/user.ts'

/** Stack frames to capture: the application asks directly, or in a function of its own. */
const stackFrames = 12

/** A decision that begins; `undefined` where no request is recorded. `end` says how it ended. */
export function noteDecision(
  user: unknown,
  action: string,
  subject: string | null,
): RunningActivity<AccessFacts> | undefined {
  const recording = openRecording(currentExchange())
  // Only a capture keeps itself under this name.
  const owner = recording?.kept(ownerName) as ActivityOwner | undefined
  if (recording === undefined) return undefined
  return owner?.beginActivity('access', () => {
    const known = userOf(user, recording.redactor)
    const facts = { user: known?.name ?? known?.id ?? null, action: action.slice(0, 200), subject }
    return { facts: { ...facts, outcome: 'denied', by: null, reason: null, votes: [] }, site: stackFrames }
  })
}
