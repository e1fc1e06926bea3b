// A name used above its declaration.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A name used above its declaration. */
export const usedBeforeDefinition: HintRule = {
  name: 'used-before-definition',
  asked: { texts: ["Cannot access '"] },
  matches: (error) => /^Cannot access '.*' before initialization/.test(error.message),
  explain: (error) => ({
    title: `${firstGroup(/access '([^']+)'/, error.message)} was used before it was made`,
    text:
      `The line${ownPlace(error)} ran before the declaration. Two modules that import each other cause ` +
      'this across files: move what both need into a third.',
  }),
}
