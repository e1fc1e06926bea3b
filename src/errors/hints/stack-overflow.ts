// A recursion without an end.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A recursion without an end. */
export const stackOverflow: HintRule = {
  name: 'stack-overflow',
  asked: { classes: ['RangeError'] },
  matches: (error) => error.className === 'RangeError' && error.message.startsWith('Maximum call stack size exceeded'),
  explain: (error) => ({
    title: 'A function calls itself without an end',
    text:
      `The calls that repeat in the trace are the circle${ownPlace(error)}. Check the condition that ` +
      'should end it, data that contains itself, getters that read themselves, and push(...list) with very ' +
      'long lists.',
  }),
}
