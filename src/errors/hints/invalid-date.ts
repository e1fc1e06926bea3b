// A date that is none.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A date that is none. */
export const invalidDate: HintRule = {
  name: 'invalid-date',
  asked: { classes: ['RangeError'] },
  matches: (error) =>
    error.className === 'RangeError' && /^(Invalid time value|date value is not finite)/i.test(error.message),
  explain: (error) => ({
    title: 'The date is no date',
    text:
      `A text that could not be read made the date invalid, and it shows only now${ownPlace(error)}. Check ` +
      'with Number.isNaN(date.getTime()) where the text comes in.',
  }),
}
