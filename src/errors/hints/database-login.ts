// A login that the database refuses.

import { hasCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A login that the database refuses. */
export const databaseLogin: HintRule = {
  name: 'database-login',
  asked: {
    codes: ['28P01', '28000', 'ER_ACCESS_DENIED_ERROR'],
    texts: ['NOAUTH', 'WRONGPASS', 'Authentication failed'],
  },
  matches: (error) =>
    hasCode(error, '28P01', '28000', 'ER_ACCESS_DENIED_ERROR') ||
    /^(NOAUTH|WRONGPASS|Authentication failed)/.test(error.message),
  explain: () => ({
    title: 'The database refused the login',
    text:
      'User, password or database name of the configuration are wrong for this server. Check which ' +
      'environment file was read.',
  }),
}
