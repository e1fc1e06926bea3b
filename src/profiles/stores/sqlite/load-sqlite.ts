// `node:sqlite`, which older versions of Node call experimental in the terminal of whoever loads it.

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
