// Hints about databases: SQLite, PostgreSQL, MySQL, MongoDB, Redis.

import { hasCode, type HintRule } from './hint.ts'

export const databaseHints: readonly HintRule[] = [
  {
    name: 'sqlite-locked',
    matches: byMessageOrCode(/database (table )?is locked|SQLITE_BUSY/),
    explain: () => ({
      title: 'Another connection holds the database',
      text:
        'SQLite lets one connection write at a time. Keep transactions short, set a busy timeout, and use ' +
        'WAL mode so that readers do not wait.',
    }),
  },
  {
    name: 'table-missing',
    matches: byMessageOrCode(
      /no such table|no such column/,
      '42P01',
      '42703',
      'ER_NO_SUCH_TABLE',
      'ER_BAD_FIELD_ERROR',
    ),
    explain: () => ({
      title: 'The database has no such table or column',
      text: 'The migrations have not run on this database, or the process is connected to a different one than you think.',
    }),
  },
  {
    name: 'duplicate-record',
    matches: byMessageOrCode(/UNIQUE constraint failed|duplicate key/, '23505', 'ER_DUP_ENTRY', '11000'),
    explain: () => ({
      title: 'A record with this key already exists',
      text:
        'Decide what that means here: respond with 409, update the record, or insert with "on conflict". ' +
        'Checking first does not help: another request may insert in between.',
    }),
  },
  {
    name: 'foreign-key',
    matches: byMessageOrCode(
      /FOREIGN KEY constraint failed/,
      '23503',
      'ER_NO_REFERENCED_ROW_2',
      'ER_ROW_IS_REFERENCED_2',
    ),
    explain: () => ({
      title: 'The record refers to a missing one, or is still referred to',
      text: 'Insert the referenced record first, and delete it last.',
    }),
  },
  {
    name: 'database-login',
    matches: byMessageOrCode(/^(NOAUTH|WRONGPASS|Authentication failed)/, '28P01', '28000', 'ER_ACCESS_DENIED_ERROR'),
    explain: () => ({
      title: 'The database refused the login',
      text: 'User, password or database name are wrong for this server. Check which environment file was read.',
    }),
  },
]

function byMessageOrCode(pattern: RegExp, ...codes: readonly string[]): HintRule['matches'] {
  return (error) => pattern.test(error.message) || hasCode(error, ...codes)
}
