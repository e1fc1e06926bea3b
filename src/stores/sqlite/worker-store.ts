// The database as a thread that works on it knows it: opens it, opens it again when its file was moved or is damaged, and sees to
// it that operations always find its tables.

import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import type { LockState } from '../../plugins/maintenance/lock-store.ts'
import type { ReopenedStore } from '../../profiler/profile-store.ts'
import { EngineError } from '../engine-error.ts'
import type { ProfileBounds } from '../engine-options.ts'
import { CurrencyTable, openCurrencyTable } from './currency-table.ts'
import { identityOf, openDatabase, setAside } from './database-file.ts'
import type { FileIdentity } from './database-file.ts'
import { LockTable } from './lock-table.ts'
import { prepareOperation, prepareWrite } from './operations.ts'
import type { Run, Tables } from './operations.ts'
import type { EncodedProfile } from './profile-columns.ts'
import { ProfileTable } from './profile-table.ts'
import type { Operation } from './protocol.ts'
import { isCorrupt, reasonOf } from './sqlite-failure.ts'

/** What the worker is started with. */
export interface WorkerStoreOptions {
  readonly path: string
  /** For messages: `sqlite:var/fanlight.db`. */
  readonly name: string
  readonly bounds: ProfileBounds
}

interface OpenFile extends Tables {
  readonly database: DatabaseSync
  readonly identity: FileIdentity | undefined
}

/** How often the file's name is looked up, in milliseconds. */
const lookEveryMs = 500

/** Files set aside by one worker at most: a disk that damages every file must not be filled with them. */
const maxSetAside = 5

/** Runs operations. Busy and failed ones throw what SQLite throws. */
export class WorkerStore {
  readonly #options: WorkerStoreOptions
  readonly #onWarning: (line: string) => void
  #file: OpenFile | undefined
  #lookedAt = 0
  #asideCount = 0
  #reopened: ReopenedStore | null = null
  #hasWarnedOfRecord = false

  constructor(options: WorkerStoreOptions, onWarning: (line: string) => void) {
    this.#options = options
    this.#onWarning = onWarning
  }

  /**
   * Prepares one operation; what comes back runs it, as often as it has to be tried: JSON in, JSON out (`null`: nothing
   * there). A damaged file is set aside, and the operation runs on a fresh one.
   */
  prepare(operation: Operation, texts: readonly string[]): () => string | null {
    return this.#retrying(prepareOperation(operation, texts))
  }

  /** As `prepare` of `write`, for profiles that are made here, one after another. */
  prepareWrite(encoded: Iterable<EncodedProfile>): () => string | null {
    return this.#retrying(prepareWrite(encoded))
  }

  #retrying(run: Run): () => string | null {
    return () => {
      try {
        return run(this.#current())
      } catch (error) {
        if (!isCorrupt(error)) throw error
        this.#replaceDamaged(error)
        return run(this.#current())
      }
    }
  }

  /** The lock, if it may have changed since this was asked last; `undefined` when it surely has not. */
  changedLock(): LockState | undefined {
    return this.#current().lock.readIfChanged()
  }

  /** Writes the log back into the file and lets go of it. */
  close(): void {
    const file = this.#file
    this.#file = undefined
    file?.database.close()
  }

  #current(): OpenFile {
    if (this.#file !== undefined && this.#hasMoved(this.#file)) {
      this.#onWarning(`The file of the store "${this.#options.name}" was moved or removed; it is reopened.`)
      // The log still lies at the old place, where it would be taken for the new file's: it goes into the file it belongs to.
      attempt(() => this.#file?.database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
      this.close()
      this.#reopened = { time: Date.now(), reason: 'gone' }
    }
    if (this.#file === undefined) this.#open()
    this.#file ??= this.#openFile()
    return this.#file
  }

  #hasMoved({ identity }: OpenFile): boolean {
    const now = performance.now()
    if (now - this.#lookedAt < lookEveryMs) return false
    this.#lookedAt = now
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
    const { path, name, bounds } = this.#options
    const database = openDatabase(path, name, this.#onWarning)
    const onDamaged = (error: unknown): void => this.#warnOfRecord(error)
    let profiles: ProfileTable | undefined
    let currencies: CurrencyTable | undefined
    try {
      this.#lookedAt = performance.now()
      return {
        database,
        identity: identityOf(path),
        // Profiles and currencies are prepared with their first operation: not every application has them.
        get profiles() {
          return (profiles ??= new ProfileTable(database, bounds, onDamaged))
        },
        get currencies() {
          return (currencies ??= openCurrencyTable(database))
        },
        lock: new LockTable(database, name),
        reopened: this.#reopened,
      }
    } catch (error) {
      database.close()
      throw error
    }
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
    this.close()
    if (aside === undefined) return
    this.#asideCount++
    this.#reopened = { time: Date.now(), reason: 'damaged' }
    this.#file = this.#openFile()
    const saved = takeOver(aside, this.#file)
    this.#onWarning(
      `The store "${name}" is damaged (${reasonOf(error)}). It was set aside as "${aside}" and an empty one was opened; ${saved}.`,
    )
  }
}

/** Copies what can still be read of lock and currencies; says what. */
function takeOver(aside: string, tables: Tables): string {
  const saved: string[] = []
  attempt(() => {
    const damaged = new DatabaseSync(aside, { readOnly: true })
    attempt(() => {
      const state = new LockTable(damaged, aside).read()
      if (state.value === 0) return
      tables.lock.write(state)
      saved.push('its lock')
    })
    attempt(() => {
      const records = new CurrencyTable(damaged).list()
      if (records.length === 0) return
      tables.currencies.upsert(records)
      saved.push('its currencies')
    })
    damaged.close()
  })
  return saved.length === 0
    ? 'nothing was taken over'
    : `${saved.join(' and ')} ${saved.length > 1 ? 'were' : 'was'} taken over`
}

/** Does what may fail on a damaged file without being missed. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Whatever it was is lost with the file; what was not lost is told.
  }
}
