// A reference to a record that is not there.

import { hasCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A reference to a record that is not there. */
export const foreignKey: HintRule = {
  name: 'foreign-key',
  asked: {
    codes: ['23503', 'ER_NO_REFERENCED_ROW_2', 'ER_ROW_IS_REFERENCED_2'],
    texts: ['FOREIGN KEY constraint failed'],
  },
  matches: (error) =>
    /FOREIGN KEY constraint failed/.test(error.message) ||
    hasCode(error, '23503', 'ER_NO_REFERENCED_ROW_2', 'ER_ROW_IS_REFERENCED_2'),
  explain: () => ({
    title: 'The record refers to another one that is missing, or is still referred to',
    text: 'Insert what is referred to first, and delete it last.',
  }),
}
