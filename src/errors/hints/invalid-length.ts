// A length that cannot be.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A length that cannot be. */
export const invalidLength: HintRule = {
  name: 'invalid-length',
  asked: { classes: ['RangeError'] },
  matches: (error) =>
    error.className === 'RangeError' &&
    /^Invalid (array|typed array|string) length|^Invalid count value|^Array buffer allocation failed/.test(
      error.message,
    ),
  explain: (error) => ({
    title: 'A length is negative, no whole number, or too large',
    text: `The number${ownPlace(error)} was calculated wrongly, or came from a client unchecked.`,
  }),
}
