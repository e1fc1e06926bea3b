// An object that became text by accident.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** An object that became text by accident. */
export const objectAsText: HintRule = {
  name: 'object-as-text',
  asked: { classes: ['SyntaxError'] },
  matches: (error) => error.className === 'SyntaxError' && error.message.includes('[object Object]'),
  explain: (error) => ({
    title: 'An object was parsed as JSON',
    text:
      `JSON.parse takes a text, and${ownPlace(error)} it was given an object, which became "[object ` +
      'Object]". It is parsed already: use it as it is.',
  }),
}
