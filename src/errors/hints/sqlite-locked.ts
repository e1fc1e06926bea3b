// A database that another process holds.

import type { HintRule } from './hint.ts'

/** A database that another process holds. */
export const sqliteLocked: HintRule = {
  name: 'sqlite-locked',
  asked: { texts: ['database is locked', 'database table is locked', 'SQLITE_BUSY'] },
  matches: (error) => /database (table )?is locked|SQLITE_BUSY/.test(error.message),
  explain: () => ({
    title: 'Another connection holds the database',
    text:
      'SQLite lets one connection write at a time. Keep transactions short, set a busy timeout, and use ' +
      'WAL mode so that readers do not wait.',
  }),
}
