// JSON that stops in the middle.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** JSON that stops in the middle. */
export const jsonEndedEarly: HintRule = {
  name: 'json-ended-early',
  asked: { classes: ['SyntaxError'] },
  matches: (error) =>
    error.className === 'SyntaxError' &&
    /^(Unexpected end of JSON input|Unterminated string in JSON)/.test(error.message),
  explain: (error) => ({
    title: 'The JSON is empty or stops in the middle',
    text:
      `The text ended before the document did${ownPlace(error)}. An empty body, a truncated file and an ` +
      'answer without content look like this.',
  }),
}
