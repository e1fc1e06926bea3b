// A promise used in place of its value.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A promise used in place of its value. */
export const promiseNotAwaited: HintRule = {
  name: 'promise-not-awaited',
  asked: { texts: ['[object Promise]'] },
  matches: (error) => error.message.includes('[object Promise]'),
  explain: (error) => ({
    title: 'A promise was used in place of its value',
    text:
      `An await is missing${ownPlace(error)}: the text "[object Promise]" is what a promise becomes when ` +
      'it is made a text.',
  }),
}
