// `node:sqlite`: how it is loaded, which older versions of Node call experimental in the terminal of whoever does it, its transactions,
// and its errors: which are worth another attempt, which mean a corrupt file.

import type * as Sqlite from 'node:sqlite'
import { EngineError, isEngineError } from '../engine-error.ts'
import { isProfileRefusedError } from '../../profiles/profile-store.ts'

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

const busy = new Set([5, 6])
const corrupt = new Set([11, 26])
const cannotOpen = new Set([3, 8, 14, 23])

/** Another connection holds the file (SQLITE_BUSY, SQLITE_LOCKED). */
export function isBusy(error: unknown): boolean {
  return busy.has(resultCode(error))
}

/** The file is not a database, or damaged (SQLITE_CORRUPT, SQLITE_NOTADB). */
export function isCorrupt(error: unknown): boolean {
  return corrupt.has(resultCode(error))
}

/** A row of the same key is there already (SQLITE_CONSTRAINT_UNIQUE). */
export function isUniqueConstraint(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 2067
}

/** Whether the error comes from SQLite, not from the code around it. */
export function isSqliteFailure(error: unknown): boolean {
  return resultCode(error) !== 0
}

/** The error for the caller of the engine, one line that names the store. */
export function toEngineError(error: unknown, name: string): Error {
  if (isEngineError(error) || isProfileRefusedError(error)) return error
  const reason = reasonOf(error)
  if (isBusy(error)) {
    return new EngineError('ERR_STORE_BUSY', `The store "${name}" is held by another process (${reason}).`, {
      cause: error,
    })
  }
  if (cannotOpen.has(resultCode(error)) || systemCode(error) !== '') {
    return new EngineError(
      'ERR_STORE_OPEN',
      `The store "${name}" cannot be opened for writing: ${reason}. The file and its directory must be writable.`,
      { cause: error },
    )
  }
  return new EngineError('ERR_STORE_FAILED', `The store "${name}" failed: ${reason}.`, { cause: error })
}

/** What happened, in the words of the system: `database disk image is malformed`, `EACCES: permission denied, open '…'`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = 'errstr' in error && typeof error.errstr === 'string' ? error.errstr : ''
  return (text === '' || text === error.message ? error.message : `${text}: ${error.message}`).replaceAll(/\s+/g, ' ')
}

function resultCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return 0
  return error.errcode & 0xff
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : ''
}
