// `node:sqlite`, which older versions of Node call experimental in the terminal of whoever loads it, and its transactions.

import type * as Sqlite from 'node:sqlite'

export type DatabaseSync = Sqlite.DatabaseSync
export const DatabaseSync: typeof Sqlite.DatabaseSync = loadInSilence().DatabaseSync

/** An application did not ask for SQLite, so it is not warned of it. */
function loadInSilence(): typeof Sqlite {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Runs the work inside `BEGIN IMMEDIATE`; an error rolls it back and is thrown on. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk rolls back by itself.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
