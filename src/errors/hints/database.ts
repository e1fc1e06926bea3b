// Hints about databases: SQLite, PostgreSQL, MySQL, MongoDB, Redis.

import type { FlattenedError } from '../flattened-error.ts'
import { firstGroup, hasCode, ownPlace, propertyText, type BuiltInHint } from './hint.ts'

export const databaseHints: readonly BuiltInHint[] = [
  {
    name: 'pool-exhausted',
    matches: byMessageOrCode(
      /timeout exceeded when trying to connect|Timeout acquiring a connection|acquir\w+ (?:a |the )?(?:connection|client).*tim(?:ed|e) ?out|tim(?:ed|e) ?out .*from the (?:connection )?pool|(?:[Cc]onnection pool|The pool) is (?:probably )?(?:full|exhausted)|[Tt]oo many (?:clients|connections)|No (?:free|available) connections?|Queue limit reached/,
      '53300',
      'P2024',
      'ER_CON_COUNT_ERROR',
    ),
    explain: (error) => ({
      title: 'Every connection of the pool is taken',
      text:
        `No connection became free in time${ownPlace(error)}. Look for code that takes a client and does not release it on every ` +
        'path: release it in finally, and do not wait for other requests while holding one. Raise the size of the pool only after that.',
    }),
  },
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
      /no such table|no such column|has no column named/,
      '42P01',
      '42703',
      'ER_NO_SUCH_TABLE',
      'ER_BAD_FIELD_ERROR',
    ),
    explain: ({ message }) => {
      const name = firstGroup(
        /(?:no such (?:table|column): |no column named |relation "|column "|Table '|column ')([\w.]+)/,
        message,
      )
      return {
        title: name === '' ? 'The database has no such table or column' : `The database has no ${name}`,
        text:
          'Check the spelling in the query. If it is right, the migrations have not run on this database, or the process is ' +
          'connected to a different one than you think.',
      }
    },
  },
  {
    name: 'sql-syntax',
    matches: byMessageOrCode(/near ".*": syntax error|^incomplete input$/, '42601', 'ER_PARSE_ERROR'),
    explain: (error) => ({
      title: `The SQL is not valid${nearText(error)}`,
      text:
        `The query was sent${ownPlace(error)}. Check the part before that word: a missing comma or closing parenthesis, a keyword ` +
        'used as a name, or text that was put together from values. Pass values as parameters.',
    }),
  },
  {
    name: 'parameter-count',
    matches: byMessageOrCode(
      /column index out of range|Unknown named parameter|values for \d+ columns|bind message supplies \d+ parameters/,
      '08P01',
    ),
    explain: (error) => ({
      title: 'The query and its parameters do not match',
      text: `Compare the placeholders of the query with the values given${ownPlace(error)}: ${error.message.slice(0, 200)}.`,
    }),
  },
  {
    name: 'parameter-type',
    replaces: 'wrong-argument',
    matches: byMessageOrCode(/cannot be bound to SQLite parameter/),
    explain: (error) => ({
      title: `Parameter ${firstGroup(/parameter (\d+)/, error.message) || 'of the query'} has a type that SQLite does not store`,
      text:
        `The call${ownPlace(error)} passed undefined, a boolean, a Date, an array or an object. Pass null, 0 or 1, or text, for ` +
        'example date.toISOString() or JSON.stringify(list).',
    }),
  },
  {
    name: 'duplicate-record',
    matches: byMessageOrCode(/UNIQUE constraint failed|duplicate key/, '23505', 'ER_DUP_ENTRY', '11000'),
    explain: (error) => ({
      title: `A record with this ${columnOf(error) || 'key'} already exists`,
      text:
        `The insert${ownPlace(error)} repeats a unique value. Decide what that means here: respond with 409, update the record, or insert with "on conflict". ` +
        'Checking first does not help: another request may insert in between.',
    }),
  },
  {
    name: 'null-column',
    matches: byMessageOrCode(/NOT NULL constraint failed|violates not-null constraint/, '23502', 'ER_BAD_NULL_ERROR'),
    explain: (error) => {
      const column = columnOf(error)
      return {
        title: `${column === '' ? 'A required column' : column} was given no value`,
        text:
          `The column is NOT NULL, and the query${ownPlace(error)} set it to null or left it out. Check which field of the input ` +
          'was missing or has another name, or give the column a default.',
      }
    },
  },
  {
    name: 'check-failed',
    matches: byMessageOrCode(
      /CHECK constraint failed|violates check constraint/,
      '23514',
      'ER_CHECK_CONSTRAINT_VIOLATED',
    ),
    explain: (error) => {
      const rule =
        firstGroup(/CHECK constraint failed: (.{1,200})/, error.message) ||
        propertyText(error, 'constraint') ||
        firstGroup(/check constraint "([^"]+)"/, error.message)
      return {
        title: `A value breaks the rule ${rule === '' ? 'of its table' : `"${rule}"`}`,
        text: `The query${ownPlace(error)} stores a value that the CHECK of the table forbids. Validate the input before it is stored.`,
      }
    },
  },
  {
    name: 'foreign-key',
    matches: byMessageOrCode(
      /FOREIGN KEY constraint failed/,
      '23503',
      'ER_NO_REFERENCED_ROW_2',
      'ER_ROW_IS_REFERENCED_2',
    ),
    explain: (error) => ({
      title: 'The record refers to a missing one, or is still referred to',
      text: `The query${ownPlace(error)} breaks a reference. Insert the referenced record first, and delete it last.`,
    }),
  },
  {
    name: 'value-does-not-fit',
    matches: byMessageOrCode(
      /^datatype mismatch|cannot store \w+ value in|invalid input syntax for type|value too long for type|out of range for type/,
      '22P02',
      '22001',
      '22003',
      'ER_DATA_TOO_LONG',
      'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
    ),
    explain: (error) => ({
      title: `The value does not fit its column${firstGroup(/type ([\w ]+?)(?::|\(|$)/, error.message).replace(/^(?=.)/, ' of type ')}`,
      text: `The query${ownPlace(error)} passed text where a number belongs, or a value that is too long. Convert and check the input first.`,
    }),
  },
  {
    name: 'deadlock',
    matches: byMessageOrCode(/deadlock detected|could not serialize access/, '40P01', '40001', 'ER_LOCK_DEADLOCK'),
    explain: (error) => ({
      title: 'Two transactions waited for each other',
      text: `The database ended this one${ownPlace(error)}. Change rows in the same order everywhere, and run the whole transaction again.`,
    }),
  },
  {
    name: 'database-closed',
    matches: byMessageOrCode(
      /^database is not open|^statement has been finalized|Client was closed|pool after calling end/,
    ),
    explain: (error) => ({
      title: 'The database was used after it was closed',
      text: `The connection had been closed before the query${ownPlace(error)}. Open it once at the start and close it when the application ends.`,
    }),
  },
  {
    name: 'database-file',
    matches: byMessageOrCode(
      /^unable to open database file|^attempt to write a readonly database|^file is not a database/,
    ),
    explain: (error) => ({
      title: error.message.startsWith('unable')
        ? 'The database file cannot be opened'
        : `The file cannot be used: ${error.message}`,
      text:
        `Check the path that was opened${ownPlace(error)}: its directory must exist, it starts at the working directory of the process, ` +
        'and the user running the process needs the right to write there.',
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

function byMessageOrCode(pattern: RegExp, ...codes: readonly string[]): BuiltInHint['matches'] {
  return (error) => pattern.test(error.message) || hasCode(error, ...codes)
}

/** `orders.mail`, as SQLite and PostgreSQL name it; empty if unknown. */
function columnOf(error: FlattenedError): string {
  const named = firstGroup(/constraint failed: ([\w.]+(?:, [\w.]+)*)/, error.message)
  if (named !== '') return named
  const column =
    propertyText(error, 'column') ||
    firstGroup(/(?:column|Column) ["']([^"']+)["']/, error.message) ||
    firstGroup(/^Key \(([^)]+)\)/, propertyText(error, 'detail'))
  const table = propertyText(error, 'table')
  return column === '' || table === '' ? column : `${table}.${column}`
}

/** ` near "FORM"`; empty if the database does not say. */
function nearText(error: FlattenedError): string {
  const word = firstGroup(/near ["'](.{1,60}?)["']/, error.message)
  return word === '' ? '' : ` near "${word}"`
}
