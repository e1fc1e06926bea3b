// Notes a decision about access in the profile of the running request.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { RunningActivity } from '../../profiler/activities/activity.ts'
import { beginActivity } from '../../profiler/activities/begin-activity.ts'
import type { AccessFacts } from '../../profiler/activities/kinds.ts'
import { openRecording } from '../../profiler/capture/owner.ts'
import { userOf } from '../../profiler/client/user.ts'

/** Stack frames to capture: the application asks directly, or in a function of its own. */
const stackFrames = 12

/** A decision that begins; `undefined` where no request is recorded. `end` says how it ended. */
export function noteDecision(
  user: unknown,
  action: string,
  subject: string | null,
): RunningActivity<AccessFacts> | undefined {
  const redactor = openRecording(currentExchange())?.redactor
  if (redactor === undefined) return undefined
  return beginActivity('access', () => {
    const known = userOf(user, redactor)
    const facts = { user: known?.name ?? known?.id ?? null, action: action.slice(0, 200), subject }
    return { facts: { ...facts, outcome: 'denied', by: null, reason: null, votes: [] }, site: stackFrames }
  })
}
