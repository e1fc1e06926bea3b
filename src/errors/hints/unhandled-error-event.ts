// An error event without a listener.

import { knownByCode, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** An error event without a listener. */
export const unhandledErrorEvent: HintRule = {
  name: 'unhandled-error-event',
  ...knownByCode('ERR_UNHANDLED_ERROR'),
  explain: (error) => ({
    title: 'An emitter reported an error and nobody listened',
    text: `Add a listener for "error" to the emitter${ownPlace(error)}. Without one Node throws it.`,
  }),
}
