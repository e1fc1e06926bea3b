// A name nobody declared.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A name nobody declared. */
export const nameNotDefined: HintRule = {
  name: 'name-not-defined',
  asked: { classes: ['ReferenceError'] },
  matches: (error) => error.className === 'ReferenceError' && /^\S+ is not defined$/.test(error.message),
  explain: (error) => ({
    title: `Nothing is named ${firstGroup(/^(\S+)/, error.message)}`,
    text:
      `The name is used${ownPlace(error)} but is neither declared nor imported there. window and document ` +
      'do not exist on a server.',
  }),
}
