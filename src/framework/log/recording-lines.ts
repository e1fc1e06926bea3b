// Lines about whether requests are recorded, one function each, as in `lines.ts`.

import type { LogLine } from './logger.ts'

/** There is no time to record: requests are served without it from now on. */
export function recordingSteppedAside(facts: {
  reason: string
  loopDelayMs: number
  share: number
  restMs: number
}): LogLine {
  const { reason, loopDelayMs, share, restMs } = facts
  return {
    level: 'warn',
    channel: 'profiler',
    message: 'Recording steps aside for {rest_ms} ms at least: {reason}.',
    context: { reason, loop_delay_ms: Math.round(loopDelayMs), share: Number(share.toFixed(3)), rest_ms: restMs },
  }
}

/** Requests are recorded again. */
export function recordingResumed(facts: { missed: number }): LogLine {
  return {
    level: 'info',
    channel: 'profiler',
    message: 'Requests are recorded again; {missed} were not.',
    context: { missed: facts.missed },
  }
}
