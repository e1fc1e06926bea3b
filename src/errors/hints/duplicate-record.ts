// A record that is there already.

import { hasCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A record that is there already. */
export const duplicateRecord: HintRule = {
  name: 'duplicate-record',
  asked: { codes: ['23505', 'ER_DUP_ENTRY', '11000'], texts: ['UNIQUE constraint failed', 'duplicate key'] },
  matches: (error) =>
    /UNIQUE constraint failed|duplicate key/.test(error.message) || hasCode(error, '23505', 'ER_DUP_ENTRY', '11000'),
  explain: () => ({
    title: 'A record with this key exists already',
    text:
      'Decide what that means here: answer 409, update the record instead, or insert with "on conflict". ' +
      'Checking first does not help: another request may insert in between.',
  }),
}
