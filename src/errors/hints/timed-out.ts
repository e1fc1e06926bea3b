// Work that was cut off by a time limit.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** Work that was cut off by a time limit. */
export const timedOut: HintRule = {
  name: 'timed-out',
  asked: { classes: ['TimeoutError'] },
  matches: (error) => error.className === 'TimeoutError',
  explain: (error) => ({
    title: 'The work took longer than its limit',
    text: `A signal with a time limit ended it${ownPlace(error)}. Look at the timeline for what took long.`,
  }),
}
