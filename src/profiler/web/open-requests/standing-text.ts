// What is said of a request that has not answered: where it stands, and what it waits for. One wording for page, Markdown
// and terminal.

import { formatDuration } from '../../../framework/html/components.ts'
import type { OpenRequest, OpenWork } from '../../open-requests/open-request.ts'

/** A sentence, and the statement or URL it speaks of. */
export interface WaitingText {
  readonly sentence: string
  readonly detail: string | null
}

/** `In the handler "product" for 3.20 s.` */
export function standingText({ stands }: Pick<OpenRequest, 'stands'>): string {
  const { place, name, forMs } = stands
  if (place === 'sending') return 'The answer is made and has not left yet.'
  if (place === 'between' || name === null || forMs === null) return 'Between two steps: nothing that is recorded runs.'
  const time = formatDuration(forMs)
  if (place === 'handler') return `In the handler "${name}" for ${time}.`
  if (place === 'error page') return `In the error page, drawn by the "${name}", for ${time}.`
  return `In ${place} of the listener "${name}" for ${time}.`
}

/** `Waits for GET 127.0.0.1:9000 for 3.19 s.` */
export function waitingText(
  request: Pick<OpenRequest, 'running' | 'runningCount' | 'lastCall' | 'ageMs' | 'stands'>,
): WaitingText {
  const { running, runningCount, lastCall, ageMs } = request
  if (running !== null) {
    const others = runningCount === 1 ? '' : `, and ${runningCount - 1} more`
    const sentence = `Waits for ${running.name} for ${formatDuration(ageMs - running.startMs)}${others}.`
    return { sentence, detail: running.detail }
  }
  const nothing = 'No recorded call is running: it computes, or waits for something that is not captured.'
  // A call of an earlier step, the read of the currency for one, says nothing of this one.
  const enteredMs = ageMs - (request.stands.forMs ?? ageMs)
  if (lastCall === null || lastCall.startMs < enteredMs) return { sentence: nothing, detail: null }
  return { sentence: `${nothing} The last call was ${lastCall.name}, ${ended(lastCall)}.`, detail: lastCall.detail }
}

function ended({ durationMs }: OpenWork): string {
  return durationMs === null ? 'not ended' : `over after ${formatDuration(durationMs)}`
}
