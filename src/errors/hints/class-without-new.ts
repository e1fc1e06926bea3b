// A class that was called.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A class that was called. */
export const classWithoutNew: HintRule = {
  name: 'class-without-new',
  asked: { texts: ['Class constructor '] },
  matches: (error) => /^Class constructor \S+ cannot be invoked without 'new'/.test(error.message),
  explain: (error) => ({
    title: `new is missing before ${firstGroup(/constructor (\S+)/, error.message)}`,
    text:
      `A class was called as a function${ownPlace(error)}. Old helpers that inherit by calling the parent ` +
      'do this too.',
  }),
}
