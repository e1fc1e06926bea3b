// One write transaction: all of it or nothing.

import type { DatabaseSync } from 'node:sqlite'

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
