// A loop or spread over what has no items.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A loop or spread over what has no items. */
export const notIterable: HintRule = {
  name: 'not-iterable',
  asked: { texts: ['is not iterable', 'is not async iterable'] },
  matches: (error) => /is not iterable|is not async iterable/.test(error.message),
  explain: (error) => ({
    title: 'The value has no items to go through',
    text:
      `What stands in the loop, the spread or the destructuring${ownPlace(error)} is neither a list nor a ` +
      'Map or Set. Objects are gone through with Object.entries; a promise has to be awaited first.',
  }),
}
