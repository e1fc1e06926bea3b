// The file of the store: made with narrow rights, opened with the settings that the tables rely on, set aside when it is
// damaged.

import { makeFolder } from '../../base/own-package.ts'
import { chmodSync, closeSync, lstatSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { EngineError } from '../engine-error.ts'
import { columns } from '../thread/profile-columns.ts'
import { DatabaseSync, inTransaction } from './node-sqlite.ts'

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
    if (migrate(database, name)) {
      onWarning(`The store "${name}" had an older format. Its profiles were removed; lock and collections stay.`)
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

/** Whether a file that was open has no content any more: a store is never empty. */
export function isEmptied(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0
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
  makeFolder(dirname(path))
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

/** Marks the file as ours (`PRAGMA application_id`): "FANL". */
const applicationId = 0x46414e4c

const formatVersion = 13

/** The first format whose lock has the column `more`. */
const formatOfLock = 13

const createLock = `CREATE TABLE lock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  value ANY NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  retry_after_seconds INTEGER,
  changed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  more TEXT NOT NULL DEFAULT '{}'
) STRICT;`

const bringLockForward = `ALTER TABLE lock RENAME TO old_lock;
  ${createLock}
  INSERT INTO lock (id, value, reason, retry_after_seconds, changed_at)
    SELECT id, value, reason, retry_after_seconds, changed_at FROM old_lock;
  DROP TABLE old_lock;`

const dropProfiles = ['profile', 'pause', 'body', 'search', 'totals', 'url_block', 'url_filter']
  .map((table) => `DROP TABLE IF EXISTS ${table};`)
  .join('\n')

/** The triggers keep `body`, `search` and `totals` in step with `profile`. */
const createProfiles = `CREATE TABLE profile (
    seq INTEGER PRIMARY KEY,
    ${columns.map(({ declared }) => declared).join(',\n    ')},
    bytes INTEGER NOT NULL
  ) STRICT;
  ${columns.map(({ index }) => index).join('\n  ')}
  CREATE INDEX profile_by_time ON profile (time);
  CREATE INDEX profile_by_kept_longer ON profile ((findings <> 0));
  CREATE INDEX profile_by_parent ON profile (parent_token) WHERE parent_token IS NOT NULL;
  CREATE INDEX profile_by_error ON profile (parent_token) WHERE findings & 1;
  CREATE INDEX profile_by_slow ON profile (parent_token) WHERE findings & 2;
  CREATE INDEX profile_by_n_plus_one ON profile (parent_token) WHERE findings & 4;
  CREATE INDEX profile_by_blocked ON profile (parent_token) WHERE findings & 8;
  CREATE INDEX profile_by_tags ON profile (parent_token) WHERE tags IS NOT NULL;
  CREATE TABLE body (seq INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE search (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE totals (
    kept_longer INTEGER PRIMARY KEY CHECK (kept_longer IN (0, 1)),
    count INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO totals (kept_longer) VALUES (0), (1);
  CREATE TRIGGER profile_added AFTER INSERT ON profile BEGIN
    UPDATE totals SET count = count + 1, bytes = bytes + new.bytes WHERE kept_longer = (new.findings <> 0);
  END;
  CREATE TRIGGER profile_removed AFTER DELETE ON profile BEGIN
    DELETE FROM body WHERE seq = old.seq;
    DELETE FROM search WHERE seq = old.seq;
    UPDATE totals SET count = count - 1, bytes = bytes - old.bytes WHERE kept_longer = (old.findings <> 0);
  END;`

/**
 * Brings the file to the current format: lock and collections stay, profiles of an older format go. Whether some did. Throws `EngineError`:
 * `ERR_STORE_VERSION` for a newer file, `ERR_STORE_FOREIGN` for a database of another application; neither is touched.
 */
function migrate(database: DatabaseSync, name: string): boolean {
  const found = formatOf(database)
  if (found === formatVersion && numberOf(database, 'application_id') === applicationId) {
    addColumns(database)
    return false
  }
  refuseForeign(database, name, found)
  // Takes effect on an empty file only, before its first table.
  if (found === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  return inTransaction(database, () => {
    // Another process may have done it meanwhile.
    const format = formatOf(database)
    if (format === formatVersion) return false
    const hadProfiles = format > 0 && database.prepare('SELECT 1 FROM profile LIMIT 1').get() !== undefined
    if (format === 0) database.exec(createLock)
    else if (format < formatOfLock) database.exec(bringLockForward)
    database.exec(dropProfiles)
    database.exec(createProfiles)
    database.exec(`PRAGMA user_version = ${formatVersion}; PRAGMA application_id = ${applicationId}`)
    return hadProfiles
  })
}

/** Fields that were added since the file was made. */
function addColumns(database: DatabaseSync): void {
  const query = database.prepare('SELECT name FROM pragma_table_info(?)')
  const missing = (): typeof columns => {
    const known = new Set(query.all('profile').map(({ name }) => name))
    return columns.filter(({ name }) => !known.has(name))
  }
  if (missing().length === 0) return
  inTransaction(database, () => {
    for (const { declared, index } of missing()) database.exec(`ALTER TABLE profile ADD COLUMN ${declared}; ${index}`)
  })
}

function refuseForeign(database: DatabaseSync, name: string, found: number): void {
  // Asked first: another process that creates the tables just now sets the mark in the same transaction.
  const hasTables = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
  if (numberOf(database, 'application_id') !== applicationId) {
    if (!hasTables && found === 0) return
    throw new EngineError(
      'ERR_STORE_FOREIGN',
      `The store "${name}" is a database of another application and was not touched; name another file.`,
    )
  }
  if (found <= formatVersion) return
  throw new EngineError(
    'ERR_STORE_VERSION',
    `The store "${name}" has format ${found}, of a newer version; this one knows formats up to ${formatVersion}. ` +
      'It was not touched: use the newer version or name another file.',
  )
}

function formatOf(database: DatabaseSync): number {
  return numberOf(database, 'user_version')
}

function numberOf(database: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}
