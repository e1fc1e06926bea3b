// The file of the store: made with narrow rights, opened with the settings that the tables rely on, set aside when it is
// damaged.

import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { EngineError } from '../engine-error.ts'
import { DatabaseSync } from './load-sqlite.ts'
import { migrate } from './migrations.ts'

/** Which file it is, wherever its name leads meanwhile. */
export type FileIdentity = string

/** How long opening waits for other processes, in milliseconds. */
const openPatienceMs = 5000

/** How long one query waits for other processes; the caller then does something else and tries again. */
const queryPatienceMs = 10

export interface FilePlace {
  /** Absolute. */
  readonly path: string
  /** Absolute; how it is reached is not looked at. */
  readonly directory: string
  /** For messages: `sqlite:var/fanlight.db`. */
  readonly name: string
}

/**
 * Opens the file, creating it (0600) and its directories (0700) if they are missing, and brings it to the current format.
 * Throws what the file system and SQLite throw, and the `EngineError`s of `migrate`; `ERR_STORE_OPEN` also if the path leads through a
 * symbolic link or to a file of another user.
 */
export function openDatabase(place: FilePlace, onWarning: (line: string) => void): DatabaseSync {
  const { path, name } = place
  refuseDetours(place)
  prepareFile(path, name)
  const database = new DatabaseSync(path, { timeout: openPatienceMs })
  try {
    const copy = migrate(database, path, name)
    if (copy !== null) {
      onWarning(
        `The store "${name}" had an older format. Its profiles were set aside in "${copy}"; lock and collections stay.`,
      )
    }
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216; ' +
        `PRAGMA busy_timeout = ${queryPatienceMs}`,
    )
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Identifies the file that is at the path now; `undefined` if there is none. */
export function identityOf(path: string): FileIdentity | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
}

/** Gives a damaged file, with its log, another name next to its place; returns the name. */
export function setAside(path: string): string {
  const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(/[-:.]/g, '')}-${process.pid}`
  for (const suffix of ['-wal', '-shm']) {
    if (identityOf(path + suffix) !== undefined) renameSync(path + suffix, aside + suffix)
  }
  renameSync(path, aside)
  return aside
}

/** The file of the copy of the lock. */
export function lockCopyPath(path: string): string {
  return `${path}-lock.json`
}

/** What is written must not end up where somebody else planted a link or a file. Throws `EngineError` (`ERR_STORE_OPEN`). */
export function refuseDetours({ path, directory, name }: FilePlace): void {
  const refuse = (place: string, problem: string): never => {
    throw new EngineError('ERR_STORE_OPEN', `The store "${name}" cannot be opened: "${place}" ${problem}.`)
  }
  const user = process.geteuid?.()
  for (const file of [path, `${path}-wal`, `${path}-shm`, lockCopyPath(path)]) {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink() === true) refuse(file, 'is a symbolic link; name the file it leads to')
    if (stats !== undefined && user !== undefined && stats.uid !== user) refuse(file, 'belongs to another user')
  }
  for (let folder = dirname(path); folder !== directory && folder !== dirname(folder); folder = dirname(folder)) {
    const stats = lstatSync(folder, { throwIfNoEntry: false })
    // The system's own links may lead here: `/tmp` is one on macOS.
    const isOfSystem = stats?.uid === 0 && !path.startsWith(join(directory, sep))
    if (stats?.isSymbolicLink() === true && !isOfSystem)
      refuse(folder, 'is a symbolic link; name the folder it leads to')
  }
}

function prepareFile(path: string, name: string): void {
  makeDirectory(dirname(path))
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isFile()) {
    throw new EngineError(
      'ERR_STORE_OPEN',
      `The store "${name}" cannot be opened: there is something at its path that is not a file.`,
    )
  }
  // Asks the file system for what SQLite would only notice at the first write. Its log files take over the rights.
  closeSync(openSync(path, 'a+', 0o600))
  if (stats !== undefined && (stats.mode & 0o077) !== 0 && process.platform !== 'win32') chmodSync(path, 0o600)
}

/** Not `recursive` of `mkdirSync`: if nothing can be made, under `/proc`, that never ends. */
function makeDirectory(path: string): void {
  if (identityOf(path) !== undefined) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (identityOf(path) === undefined) throw error
  }
}
