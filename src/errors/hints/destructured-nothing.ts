// Destructuring of nothing.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** Destructuring of nothing. */
export const destructuredNothing: HintRule = {
  name: 'destructured-nothing',
  asked: { texts: ['Cannot destructure property'] },
  matches: (error) => error.message.startsWith('Cannot destructure property'),
  explain: (error) => ({
    title: `Nothing was there to take ${firstGroup(/property '([^']+)'/, error.message) || 'a property'} from`,
    text:
      `The value${ownPlace(error)} is ${/ as it is null/.test(error.message) ? 'null' : 'undefined'}. Give ` +
      'the parameter a default, or check the value before.',
  }),
}
