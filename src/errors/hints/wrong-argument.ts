// A library function called with the wrong kind of value.

import { knownByCode, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A library function called with the wrong kind of value. */
export const wrongArgument: HintRule = {
  name: 'wrong-argument',
  ...knownByCode('ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE', 'ERR_OUT_OF_RANGE', 'ERR_MISSING_ARGS'),
  explain: (error) => ({
    title: 'A function of Node was called with a value it does not take',
    text:
      `The message names the argument and what it got${ownPlace(error)}. "Received undefined" is usually a ` +
      'setting or an environment variable that is not there.',
  }),
}
