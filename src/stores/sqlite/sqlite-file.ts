// The SQLite file of a store, in the thread that works on it: opens it, opens it again when it was moved or is damaged, and waits
// for other processes.

import { performance } from 'node:perf_hooks'
import type { StatementSync } from 'node:sqlite'
import { isOlder, openLock } from '../lock/lock-members.ts'
import type { LockState } from '../../profiles/lock.ts'
import type { ReopenedStore } from '../../profiles/profile-store.ts'
import { isOwn, versionField, type Fields } from '../collections.ts'
import { EngineError } from '../engine-error.ts'
import type { ProfileBounds } from '../engine.ts'
import { identityOf, isEmptied, openDatabase, setAside, type FileIdentity, type FilePlace } from './database-file.ts'
import { DatabaseSync, inTransaction, isBusy, isCorrupt, reasonOf, toEngineError } from './node-sqlite.ts'
import { LockCopy, LockTable } from './lock-copy.ts'
import { ProfileTable, toRow } from './profile-table.ts'
import { setTimeout } from 'node:timers/promises'
import type { ProfilePlace } from '../thread/serve-profiles.ts'

export interface SqliteFileOptions extends FilePlace {
  readonly bounds: ProfileBounds
}

interface Tables {
  readonly profiles: ProfileTable
  readonly documents: DocumentTable
  /** Whether their table is there. The first use makes it. */
  readonly hasDocuments: boolean
  readonly lock: LockTable
  /** When and why they took the place of others; `null` if they did not. */
  readonly reopened: ReopenedStore | null
}

interface OpenFile extends Tables {
  readonly database: DatabaseSync
  readonly identity: FileIdentity | undefined
}

/** How long a call waits for other processes in all, in milliseconds. */
const patienceMs = 5000

/** Files set aside at most: a disk that damages every file must not be filled with them. */
const maxSetAside = 5

/** One file, opened with the first call. */
export class SqliteFile {
  readonly #options: SqliteFileOptions
  readonly #onWarning: (line: string) => void
  readonly #lockCopy: LockCopy
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined
  #file: OpenFile | undefined
  #asideCount = 0
  #reopened: ReopenedStore | null = null
  #hasWarnedOfRecord = false

  constructor(options: SqliteFileOptions, onWarning: (line: string) => void) {
    this.#options = options
    this.#onWarning = onWarning
    this.#lockCopy = new LockCopy(options, onWarning)
  }

  /** The lock, as far as it can be read while the file cannot be opened. */
  readLockAnyway(): LockState | undefined {
    return this.#lockCopy.readAnyway()
  }

  /**
   * Works on the tables, at once if no other process holds the file. A damaged file is set aside, and the work is done on a new one.
   * Rejects with `EngineError`, and with a `ProfileRefusedError` of the work.
   */
  async run<Result>(work: (tables: Tables) => Result): Promise<Result> {
    const { name } = this.#options
    if (this.#closing !== undefined) throw new EngineError('ERR_STORE_CLOSED', `The store "${name}" is closed.`)
    const running = this.#runPatiently(work)
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw toEngineError(error, name)
    } finally {
      this.#running.delete(running)
    }
  }

  /** Waits for running work, writes the log back into the file and lets go of it; a failure is a warning. Never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running)
    try {
      this.#letGo()
    } catch (error) {
      this.#onWarning(`The store "${this.#options.name}" was not closed in order: ${reasonOf(error)}`)
    }
  }

  async #runPatiently<Result>(work: (tables: Tables) => Result): Promise<Result> {
    const giveUpAt = performance.now() + patienceMs
    for (;;) {
      try {
        return this.#runOnce(work)
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw error
      }
      await setTimeout(5 + Math.random() * 20)
    }
  }

  #runOnce<Result>(work: (tables: Tables) => Result): Result {
    try {
      return work(this.#current())
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#replaceDamaged(error)
      return work(this.#current())
    }
  }

  #letGo(): void {
    const file = this.#file
    this.#file = undefined
    file?.database.close()
  }

  #current(): OpenFile {
    // What has it open, in whatever process, keeps others from making a store of it again.
    if (this.#file !== undefined && isEmptied(this.#options.path)) this.#replaceDamaged(new Error('it was emptied'))
    if (this.#file !== undefined && this.#hasMoved(this.#file)) {
      this.#onWarning(`The file of the store "${this.#options.name}" was moved or removed; it is reopened.`)
      // The log still lies at the old place, where it would be taken for the new file's: it goes into the file it belongs to.
      attempt(() => this.#file?.database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
      this.#letGo()
      this.#reopened = { time: Date.now(), reason: 'gone' }
    }
    if (this.#file === undefined) this.#open()
    this.#file ??= this.#openFile()
    return this.#file
  }

  /** Asked for each call: what is written to a file that is gone is lost. */
  #hasMoved({ identity }: OpenFile): boolean {
    return identityOf(this.#options.path) !== identity
  }

  #open(): void {
    try {
      this.#file = this.#openFile()
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#replaceDamaged(error)
    }
  }

  #openFile(): OpenFile {
    const { path, bounds } = this.#options
    const database = openDatabase(this.#options, this.#onWarning)
    const onDamaged = (error: unknown): void => this.#warnOfRecord(error)
    let profiles: ProfileTable | undefined
    let documents: DocumentTable | undefined
    try {
      return {
        database,
        identity: identityOf(path),
        // These are prepared with their first operation: not every application has them.
        get profiles() {
          return (profiles ??= new ProfileTable(database, bounds, onDamaged))
        },
        get hasDocuments() {
          return documents !== undefined || hasTable(database, 'document')
        },
        get documents() {
          return (documents ??= openDocumentTable(database))
        },
        lock: this.#openLock(database),
        reopened: this.#reopened,
      }
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** A file that was lost, or is an older one, gets the lock of the copy beside it. */
  #openLock(database: DatabaseSync): LockTable {
    const { name } = this.#options
    const lock = new LockTable(
      database,
      name,
      (state) => this.#lockCopy.keep(state),
      () => this.#lockCopy.isBroken(),
    )
    const copy = this.#lockCopy.known()
    // Who reads a malformed row is told of it.
    const isLost = attempt(() => isOlder(lock.read(), copy ?? openLock)) === true
    if (copy !== undefined && isLost && lock.restore(copy)) {
      this.#onWarning(
        `The store "${name}" had lost its lock, or had an older one; it was written again from the copy beside it.`,
      )
    }
    return lock
  }

  #warnOfRecord(error: unknown): void {
    if (this.#hasWarnedOfRecord) return
    this.#hasWarnedOfRecord = true
    this.#onWarning(`A profile in the store "${this.#options.name}" is damaged and was skipped (${reasonOf(error)}).`)
  }

  /** Opens an empty file in place of a damaged one, unless another process did so already. */
  #replaceDamaged(error: unknown): void {
    const { path, name } = this.#options
    const isOurs = this.#file === undefined || identityOf(path) === this.#file.identity
    if (this.#asideCount === maxSetAside) {
      throw new EngineError(
        'ERR_STORE_FAILED',
        `The store "${name}" was damaged ${maxSetAside + 1} times (${reasonOf(error)}).`,
      )
    }
    // Renamed before it is closed: closing then leaves the log file of the same name alone.
    const aside = isOurs ? setAside(path) : undefined
    this.#letGo()
    if (aside === undefined) return
    this.#asideCount++
    this.#reopened = { time: Date.now(), reason: 'damaged' }
    this.#file = this.#openFile()
    const saved = takeOver(aside, this.#file, this.#lockCopy.known() !== undefined)
    this.#onWarning(
      `The store "${name}" is damaged (${reasonOf(error)}). It was set aside as "${aside}" and an empty one was opened; ${saved}.`,
    )
  }
}

/** Copies what can still be read of lock and collections; says what. */
function takeOver(aside: string, tables: Tables, hasLockCopy: boolean): string {
  const saved: string[] = []
  let isLockKnown = hasLockCopy
  attempt(() => {
    const damaged = new DatabaseSync(aside, { readOnly: true })
    attempt(() => {
      const state = new LockTable(damaged, aside).read()
      isLockKnown = true
      if (tables.lock.restore(state)) saved.push('its lock')
    })
    attempt(() => {
      const rows = allDocuments(damaged)
      if (rows.length > 0) tables.documents.restore(rows)
      if (rows.some(({ collection }) => !isOwn(collection))) saved.push('its collections')
    })
    damaged.close()
  })
  const taken =
    saved.length === 0
      ? 'nothing was taken over'
      : `${saved.join(' and ')} ${saved.at(-1) === 'its lock' ? 'was' : 'were'} taken over`
  return isLockKnown ? taken : `${taken}, and whether the lock was closed could not be read`
}

/** Does what may fail on a damaged file. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    // What could be saved is named in the warning.
    return undefined
  }
}

/** The hashes of collections: a table that is created when one is first used. */
const createTable = `CREATE TABLE document (
  collection TEXT NOT NULL,
  field TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (collection, field)
) STRICT, WITHOUT ROWID`

/** Version 0.1 kept one kind of records, in a table of its own. */
const recordsOfVersion01 = `SELECT 'currencies' AS collection, code AS field, json_object(
    'code', code, 'title', title, 'rate', rate, 'sign', sign,
    'is_active', json(iif(is_active, 'true', 'false')), 'is_default', json(iif(is_default, 'true', 'false')),
    'created_at', created_at, 'updated_at', updated_at, 'rate_at', rate_at) AS text
  FROM currencies
  UNION ALL SELECT 'currencies', '${versionField}', '0.1' WHERE EXISTS (SELECT 1 FROM currencies)`

type Row = Readonly<Record<'collection' | 'field' | 'text', string>>

/** Opens the table. A new one takes over what version 0.1 kept, which stays as it is for a process of that version. */
function openDocumentTable(database: DatabaseSync): DocumentTable {
  if (!hasTable(database, 'document')) {
    inTransaction(database, () => {
      // Another process may have done it meanwhile.
      if (hasTable(database, 'document')) return
      const rows = allDocuments(database)
      database.exec(createTable)
      writeRows(database, rows)
    })
  }
  return new DocumentTable(database)
}

/** Everything that a file holds of collections, also one that was damaged. */
function allDocuments(database: DatabaseSync): readonly Row[] {
  if (hasTable(database, 'document')) return all(database, 'SELECT collection, field, text FROM document')
  return hasTable(database, 'currencies') ? all(database, recordsOfVersion01) : []
}

function all(database: DatabaseSync, query: string): readonly Row[] {
  return database.prepare(query).all() as readonly unknown[] as readonly Row[]
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
}

const setText = 'INSERT OR REPLACE INTO document (collection, field, text) VALUES (?, ?, ?)'

function writeRows(database: DatabaseSync, rows: readonly Row[]): void {
  const set = database.prepare(setText)
  for (const { collection, field, text } of rows) set.run(collection, field, text)
}

class DocumentTable {
  readonly #database: DatabaseSync
  readonly #get: StatementSync
  readonly #all: StatementSync
  readonly #set: StatementSync
  readonly #remove: StatementSync
  readonly #add: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#get = database.prepare('SELECT text FROM document WHERE collection = ? AND field = ?')
    this.#all = database.prepare('SELECT field, text FROM document WHERE collection = ?')
    this.#set = database.prepare(setText)
    this.#remove = database.prepare('DELETE FROM document WHERE collection = ? AND field = ?')
    this.#add = database.prepare(
      'INSERT INTO document VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = CAST(text + excluded.text AS TEXT)',
    )
  }

  get(collection: string, field: string): string | null {
    const row = this.#get.get(collection, field)
    return row === undefined ? null : String(row['text'])
  }

  getAll(collection: string): readonly (readonly [string, string])[] {
    return this.#all.all(collection).map(({ field, text }) => [String(field), String(text)])
  }

  set(collection: string, fields: Fields, expected: string | null | undefined): boolean {
    return inTransaction(this.#database, () => {
      if (expected !== undefined && expected !== this.get(collection, versionField)) return false
      for (const [field, text] of fields) {
        if (text === null) this.#remove.run(collection, field)
        else this.#set.run(collection, field, text)
      }
      return true
    })
  }

  add(collection: string, field: string, count: number): void {
    this.#add.run(collection, field, String(count))
  }

  /** Writes the rows of another file. */
  restore(rows: readonly Row[]): void {
    inTransaction(this.#database, () => writeRows(this.#database, rows))
  }
}

/** Others write between two steps that remove profiles beyond the bounds: for as long as a step, and so many milliseconds at least. */
const trimPauseMs = 20

/** `name` is the store's, for messages. `onMuch`: called in place of removing much that is beyond the bounds. */
export function profilePlace(file: SqliteFile, name: string, onMuch?: () => void): ProfilePlace {
  let trimming: Promise<void> | undefined
  const trim = async (): Promise<void> => {
    let startedMs = performance.now()
    // What fails is tried again with the next write.
    while (await file.run(({ profiles }) => profiles.trim()).catch(() => false)) {
      await setTimeout(Math.max(trimPauseMs, performance.now() - startedMs), undefined, { ref: false })
      startedMs = performance.now()
    }
    trimming = undefined
  }
  return {
    write: async (encoded) => {
      // Made before the file is asked, so that a second attempt on a busy one compresses nothing again.
      const rows = Array.from(encoded, toRow)
      if (!(await file.run(({ profiles }) => profiles.write(rows)))) return
      if (onMuch === undefined) trimming ??= trim()
      else onMuch()
    },
    read: (token) => file.run(({ profiles }) => profiles.read(token)),
    find: (filter, page) => file.run(({ profiles }) => profiles.find(filter, page)),
    group: (filter, by, request) => file.run(({ profiles }) => profiles.group(filter, by, request)),
    // Found as it was asked for.
    gather: (filter, asked) => file.run(({ profiles }) => profiles.gather(filter, asked)) as Promise<never>,
    purge: (before) => file.run(({ profiles }) => profiles.purge(before)),
    stats: () => file.run(({ profiles, reopened }) => ({ ...profiles.stats(), reopened })),
    close: () => file.close(),
    toError: (thrown) => toEngineError(thrown, name),
  }
}
