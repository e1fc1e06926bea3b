// A new of what is no class.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A new of what is no class. */
export const notAConstructor: HintRule = {
  name: 'not-a-constructor',
  asked: { texts: [' is not a constructor'] },
  matches: (error) => error.message.endsWith(' is not a constructor'),
  explain: (error) => ({
    title: `${firstGroup(/^([^]+) is not a constructor$/, error.message)} cannot be made with new`,
    text:
      `What stands behind new${ownPlace(error)} is no class. Check the import: a default export and a ` +
      'named one are easily confused.',
  }),
}
