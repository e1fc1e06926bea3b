// A copy of the lock beside the file of the store: what is known of the lock if that is lost or damaged, or cannot be opened.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isOlder } from '../../plugins/maintenance/lock-members.ts'
import type { LockState } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState, openLock } from '../check-records.ts'
import { lockCopyPath, refuseDetours, type FilePlace } from './database-file.ts'
import { DatabaseSync } from './load-sqlite.ts'
import { LockTable } from './lock-table.ts'
import { reasonOf } from './sqlite-failure.ts'

export class LockCopy {
  readonly #place: FilePlace
  readonly #path: string
  readonly #onWarning: (line: string) => void
  #lastProblem: string | undefined

  constructor(place: FilePlace, onWarning: (line: string) => void) {
    this.#place = place
    this.#path = lockCopyPath(place.path)
    this.#onWarning = onWarning
  }

  /** `undefined`: there is none, or it cannot be used. */
  read(): LockState | undefined {
    try {
      return checkLockState(this.#place.name, JSON.parse(readFileSync(this.#path, 'utf8')) as LockState)
    } catch {
      return undefined
    }
  }

  /** Replaces the copy, unless it is newer. A failure is a warning: the lock itself is written. */
  keep(state: LockState): void {
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
      return new LockTable(database, name).read()
    } catch {
      return undefined
    } finally {
      database?.close()
    }
  }
}
