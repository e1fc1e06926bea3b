// A call of what is no function.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A call of what is no function. */
export const notAFunction: HintRule = {
  name: 'not-a-function',
  asked: { texts: [' is not a function'] },
  matches: (error) => error.message.endsWith(' is not a function') && error.className === 'TypeError',
  explain: (error) => ({
    title: `${firstGroup(/^([^]+) is not a function$/, error.message)} is no function`,
    text:
      `The call${ownPlace(error)} found something else there, usually undefined: a mistyped name, a ` +
      'default import of a module that has none, or a promise that was not awaited.',
  }),
}
