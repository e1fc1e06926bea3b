// A copy of the lock beside the file of the store: what is known of the lock if that is lost or damaged, or cannot be opened.

import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isOlder, type OptionalMembers, checkLockState, openLock, refuseLock } from '../lock/lock-members.ts'
import type { LockState } from '../../profiles/lock.ts'
import { lockCopyPath, refuseDetours, type FilePlace } from './database-file.ts'
import { DatabaseSync, inTransaction, reasonOf } from './node-sqlite.ts'
import { EngineError } from '../engine-error.ts'
import type { StatementSync } from 'node:sqlite'

export class LockCopy {
  readonly #place: FilePlace
  readonly #path: string
  readonly #onWarning: (line: string) => void
  #lastProblem: string | undefined
  #kept: LockState | undefined

  constructor(place: FilePlace, onWarning: (line: string) => void) {
    this.#place = place
    this.#path = lockCopyPath(place.path)
    this.#onWarning = onWarning
  }

  /** `undefined`: there is none, or it cannot be used. */
  read(): LockState | undefined {
    try {
      // Something that is no file must not hold the process.
      const flag = constants.O_RDONLY | constants.O_NONBLOCK
      const text = readFileSync(this.#path, { encoding: 'utf8', flag })
      return checkLockState(this.#place.name, JSON.parse(text) as LockState)
    } catch {
      return undefined
    }
  }

  /** The copy, or what this process knows if that cannot be used. */
  known(): LockState | undefined {
    return this.read() ?? this.#kept
  }

  /** Whether a lock was set, and nobody knows which. */
  isBroken(): boolean {
    return this.known() === undefined && existsSync(this.#path)
  }

  /** Replaces the copy, unless it is newer. A failure is a warning: the lock itself is written. */
  keep(state: LockState): void {
    this.#kept = state
    const known = this.read() ?? openLock
    if (isOlder(state, known) || JSON.stringify(known) === JSON.stringify(state)) return
    const own = `${this.#path}.${process.pid}`
    try {
      rmSync(own, { force: true })
      const file = openSync(own, 'wx', 0o600)
      writeSync(file, JSON.stringify(state))
      fsyncSync(file)
      closeSync(file)
      renameSync(own, this.#path)
      this.#lastProblem = undefined
    } catch (error) {
      const problem = reasonOf(error)
      if (problem === this.#lastProblem) return
      this.#lastProblem = problem
      this.#onWarning(`The copy of the lock beside the store "${this.#place.name}" cannot be written: ${problem}.`)
    }
  }

  /** The newest lock that can be read without opening the store; `undefined` if none can. */
  readAnyway(): LockState | undefined {
    const copy = this.read()
    const stored = this.#readStored(false) ?? this.#readStored(true)
    return copy === undefined || (stored !== undefined && !isOlder(stored, copy)) ? stored : copy
  }

  /** `isFixed`: as a file that nobody changes, which SQLite reads even in a folder that cannot be written. */
  #readStored(isFixed: boolean): LockState | undefined {
    const { path, name } = this.#place
    let database: DatabaseSync | undefined
    try {
      refuseDetours(this.#place)
      const fixed = new URL(`${pathToFileURL(path).href}?mode=ro&immutable=1`)
      database = isFixed ? new DatabaseSync(fixed) : new DatabaseSync(path, { readOnly: true })
      return new LockTable(database, name, undefined, () => this.isBroken()).read()
    } catch {
      return undefined
    } finally {
      database?.close()
    }
  }
}

export class LockTable {
  readonly #database: DatabaseSync
  readonly #name: string
  readonly #onNews: (state: LockState) => void
  readonly #isLost: () => boolean
  readonly #read: StatementSync
  readonly #replace: StatementSync
  readonly #dataVersion: StatementSync
  #seenVersion: unknown

  /**
   * `name` is the store's, for messages. `onNews` gets each state that is written, or found after a change. `isLost` says whether a lock
   * that is missing was set.
   */
  constructor(
    database: DatabaseSync,
    name: string,
    onNews: (state: LockState) => void = () => undefined,
    isLost: () => boolean = () => false,
  ) {
    this.#database = database
    this.#name = name
    this.#onNews = onNews
    this.#isLost = isLost
    // The reason as bytes: Node 22 cuts a text at its first NUL.
    this.#read = database.prepare(
      'SELECT CAST(value AS TEXT) AS value, CAST(reason AS BLOB) AS reason, retry_after_seconds, changed_at, more FROM lock WHERE id = 1',
    )
    this.#replace = database.prepare(
      'INSERT OR REPLACE INTO lock (id, value, reason, retry_after_seconds, changed_at, more) VALUES (1, ?, ?, ?, ?, ?)',
    )
    this.#dataVersion = database.prepare('PRAGMA data_version')
  }

  /** The stored state. Throws `EngineError` for one that was lost, and for a malformed one, which an operator may have written. */
  read(): LockState {
    const state = this.#stored()
    if (state !== undefined) return state
    if (!this.#isLost()) return openLock
    throw new EngineError(
      'ERR_STORE_RECORD',
      `The store "${this.#name}" has lost its lock, and the copy beside it cannot be read. "fanlight lock on" and "fanlight lock off" set it anew.`,
    )
  }

  #stored(): LockState | undefined {
    const row = this.#read.get()
    if (row === undefined) return undefined
    const value = String(row['value'])
    if (!/^-?\d{1,16}$/.test(value)) refuseLock(this.#name, 'value', value, 'a safe integer')
    return checkLockState(this.#name, {
      ...this.#parse(String(row['more'])),
      value: Number(value),
      reason: Buffer.from(row['reason'] as Uint8Array).toString(),
      retryAfterSeconds: row['retry_after_seconds'] === null ? null : Number(row['retry_after_seconds']),
      changedAt: String(row['changed_at']),
    })
  }

  write(state: LockState): void {
    this.#safely(() => this.#write(state))
  }

  #write(state: LockState): void {
    const { value, reason, retryAfterSeconds, changedAt, ...more } = checkLockState(this.#name, state)
    this.#replace.run(BigInt(value), reason, retryAfterSeconds, changedAt, JSON.stringify(more))
    this.#onNews(state)
  }

  /** Writes a state unless the stored one is as new or newer. Whether it was written. */
  restore(state: LockState): boolean {
    return this.#safely(() =>
      inTransaction(this.#database, () => {
        if (!isOlder(this.#stored() ?? openLock, state)) return false
        this.#write(state)
        return true
      }),
    )
  }

  /** What is written survives the loss of power. */
  #safely<Result>(work: () => Result): Result {
    this.#database.exec('PRAGMA synchronous = FULL')
    try {
      return work()
    } finally {
      this.#database.exec('PRAGMA synchronous = NORMAL')
    }
  }

  /** The state, if another connection changed anything in the file since this was asked last: one step else, no page is read. */
  readIfChanged(): LockState | undefined {
    const version = this.#dataVersion.get()?.['data_version']
    if (version === this.#seenVersion) return undefined
    const state = this.read()
    this.#seenVersion = version
    // An operator may have set it with the shell.
    this.#onNews(state)
    // This page is one of the last: a file that was cut short is noticed though its lock is still there.
    this.#database.prepare('SELECT count FROM totals').all()
    return state
  }

  #parse(more: string): OptionalMembers {
    try {
      return JSON.parse(more) as OptionalMembers
    } catch {
      // It may hold the key of links.
      refuseLock(this.#name, 'column', 'more', 'a JSON object in it')
    }
  }
}
