// Hints about databases: SQLite, PostgreSQL, MySQL, MongoDB, Redis.

import type { FlattenedError } from '../flattened-error.ts'
import { firstGroup, ownPlace, propertyText, type HintRows } from './hint.ts'

export const databaseHints: HintRows = {
  'pool-exhausted': {
    message:
      /timeout exceeded when trying to connect|Timeout acquiring a connection|acquir\w+ (?:a |the )?(?:connection|client).*tim(?:ed|e) ?out|tim(?:ed|e) ?out .*from the (?:connection )?pool|(?:[Cc]onnection pool|The pool) is (?:probably )?(?:full|exhausted)|[Tt]oo many (?:clients|connections)|No (?:free|available) connections?|Queue limit reached/,
    codes: ['53300', 'P2024', 'ER_CON_COUNT_ERROR'],
    title: 'Every connection of the pool is taken',
    text: 'No connection became free in time{at}. Look for code that takes a client and does not release it on every path: release it in finally, and do not wait for other requests while holding one. Raise the size of the pool only after that.',
  },
  'sqlite-locked': {
    message: /database (table )?is locked|SQLITE_BUSY/,
    title: 'Another connection holds the database',
    text: 'SQLite lets one connection write at a time. Keep transactions short, set a busy timeout, and use WAL mode so that readers do not wait.',
  },
  'table-missing': {
    message: /no such table|no such column|has no column named/,
    codes: ['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'],
    title: ({ message }) => `The database has no ${firstGroup(missingName, message) || 'such table or column'}`,
    text: 'Check the spelling in the query. If it is right, the migrations have not run on this database, or the process is connected to a different one than you think.',
  },
  'sql-syntax': {
    message: /near ".*": syntax error|^incomplete input$/,
    codes: ['42601', 'ER_PARSE_ERROR'],
    title: (error) => `The SQL is not valid${nearText(error)}`,
    text: 'The query was sent{at}. Check the part before that word: a missing comma or closing parenthesis, a keyword used as a name, or text that was put together from values. Pass values as parameters.',
  },
  'parameter-count': {
    message:
      /column index out of range|Unknown named parameter|values for \d+ columns|bind message supplies \d+ parameters/,
    codes: ['08P01'],
    title: 'The query and its parameters do not match',
    text: (error) =>
      `Compare the placeholders of the query with the values given${ownPlace(error)}: ${error.message.slice(0, 200)}.`,
  },
  'parameter-type': {
    replaces: 'wrong-argument',
    message: /cannot be bound to SQLite parameter/,
    title: (error) =>
      `Parameter ${firstGroup(/parameter (\d+)/, error.message) || 'of the query'} has a type that SQLite does not store`,
    text: 'The call{at} passed undefined, a boolean, a Date, an array or an object. Pass null, 0 or 1, or text, for example date.toISOString() or JSON.stringify(list).',
  },
  'duplicate-record': {
    message: /UNIQUE constraint failed|duplicate key/,
    codes: ['23505', 'ER_DUP_ENTRY', '11000'],
    title: (error) => `A record with this ${columnOf(error) || 'key'} already exists`,
    text: 'The insert{at} repeats a unique value. Decide what that means here: respond with 409, update the record, or insert with "on conflict". Checking first does not help: another request may insert in between.',
  },
  'null-column': {
    message: /NOT NULL constraint failed|violates not-null constraint/,
    codes: ['23502', 'ER_BAD_NULL_ERROR'],
    title: (error) => `${columnOf(error) || 'A required column'} was given no value`,
    text: 'The column is NOT NULL, and the query{at} set it to null or left it out. Check which field of the input was missing or has another name, or give the column a default.',
  },
  'check-failed': {
    message: /CHECK constraint failed|violates check constraint/,
    codes: ['23514', 'ER_CHECK_CONSTRAINT_VIOLATED'],
    title: (error) => {
      const rule =
        firstGroup(/CHECK constraint failed: (.{1,200})/, error.message) ||
        propertyText(error, 'constraint') ||
        firstGroup(/check constraint "([^"]+)"/, error.message)
      return `A value breaks the rule ${rule === '' ? 'of its table' : `"${rule}"`}`
    },
    text: 'The query{at} stores a value that the CHECK of the table forbids. Validate the input before it is stored.',
  },
  'foreign-key': {
    message: /FOREIGN KEY constraint failed/,
    codes: ['23503', 'ER_NO_REFERENCED_ROW_2', 'ER_ROW_IS_REFERENCED_2'],
    title: 'The record refers to a missing one, or is still referred to',
    text: 'The query{at} breaks a reference. Insert the referenced record first, and delete it last.',
  },
  'value-does-not-fit': {
    message:
      /^datatype mismatch|cannot store \w+ value in|invalid input syntax for type|value too long for type|out of range for type/,
    codes: ['22P02', '22001', '22003', 'ER_DATA_TOO_LONG', 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD'],
    title: (error) =>
      `The value does not fit its column${firstGroup(/type ([\w ]+?)(?::|\(|$)/, error.message).replace(/^(?=.)/, ' of type ')}`,
    text: 'The query{at} passed text where a number belongs, or a value that is too long. Convert and check the input first.',
  },
  deadlock: {
    message: /deadlock detected|could not serialize access/,
    codes: ['40P01', '40001', 'ER_LOCK_DEADLOCK'],
    title: 'Two transactions waited for each other',
    text: 'The database ended this one{at}. Change rows in the same order everywhere, and run the whole transaction again.',
  },
  'database-closed': {
    message: /^database is not open|^statement has been finalized|Client was closed|pool after calling end/,
    title: 'The database was used after it was closed',
    text: 'The connection had been closed before the query{at}. Open it once at the start and close it when the application ends.',
  },
  'database-file': {
    message: /^unable to open database file|^attempt to write a readonly database|^file is not a database/,
    title: (error) =>
      error.message.startsWith('unable')
        ? 'The database file cannot be opened'
        : `The file cannot be used: ${error.message}`,
    text: 'Check the path that was opened{at}: its directory must exist, it starts at the working directory of the process, and the user running the process needs the right to write there.',
  },
  'database-login': {
    message: /^(NOAUTH|WRONGPASS|Authentication failed)/,
    codes: ['28P01', '28000', 'ER_ACCESS_DENIED_ERROR'],
    title: 'The database refused the login',
    text: 'User, password or database name are wrong for this server. Check which environment file was read.',
  },
}

const missingName = /(?:no such (?:table|column): |no column named |relation "|column "|Table '|column ')([\w.]+)/

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
