// A table that is not there.

import { hasCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A table that is not there. */
export const tableMissing: HintRule = {
  name: 'table-missing',
  asked: {
    codes: ['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'],
    texts: ['no such table', 'no such column'],
  },
  matches: (error) =>
    /no such table|no such column/.test(error.message) ||
    hasCode(error, '42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'),
  explain: () => ({
    title: 'The database has no such table or column',
    text:
      'The migrations have not run against this database, or the process is connected to another one than ' +
      'you think.',
  }),
}
