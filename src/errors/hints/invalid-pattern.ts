// A regular expression that is none.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A regular expression that is none. */
export const invalidPattern: HintRule = {
  name: 'invalid-pattern',
  asked: { classes: ['SyntaxError'] },
  matches: (error) => error.className === 'SyntaxError' && error.message.startsWith('Invalid regular expression'),
  explain: (error) => ({
    title: 'The regular expression cannot be read',
    text:
      'If a part of it comes from a user, escape it with RegExp.escape or search with ' +
      `includes()${ownPlace(error)}.`,
  }),
}
