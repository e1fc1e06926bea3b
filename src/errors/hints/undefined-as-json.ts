// Nothing, parsed as JSON.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** Nothing, parsed as JSON. */
export const undefinedAsJson: HintRule = {
  name: 'undefined-as-json',
  asked: { classes: ['SyntaxError'] },
  matches: (error) => error.className === 'SyntaxError' && error.message === '"undefined" is not valid JSON',
  explain: (error) => ({
    title: 'Nothing was parsed as JSON',
    text:
      `JSON.parse was given undefined${ownPlace(error)}: the variable, the header or the file it should ` +
      'have come from is missing.',
  }),
}
