// The database as the worker thread knows it: opens it, opens it again when its file was moved or is damaged, and runs the
// operations of the protocol on its tables.

import { DatabaseSync } from 'node:sqlite'
import type { Currency } from '../../currency/currency.ts'
import type { LockState } from '../../maintenance/lock-store.ts'
import type { ProfileFilter } from '../../profiler/profile-store.ts'
import { EngineError } from '../engine-error.ts'
import type { ProfileBounds } from '../engine-options.ts'
import { CurrencyTable } from './currency-table.ts'
import { identityOf, openDatabase, setAside } from './database-file.ts'
import type { FileIdentity } from './database-file.ts'
import { LockTable } from './lock-table.ts'
import { ProfileTable } from './profile-table.ts'
import type { Operation } from './protocol.ts'
import { isBusy, isCorrupt, reasonOf } from './sqlite-failure.ts'

/** What the worker is started with. */
export interface WorkerStoreOptions {
  readonly path: string
  /** For messages: `sqlite:var/fanlight.db`. */
  readonly name: string
  readonly bounds: ProfileBounds
}

interface Tables {
  readonly database: DatabaseSync
  readonly file: FileIdentity | undefined
  readonly profiles: ProfileTable
  readonly currencies: CurrencyTable
  readonly lock: LockTable
}

/** How often the file's name is looked up, in milliseconds. */
const lookEveryMs = 500

/** Files set aside by one worker at most: a disk that damages every file must not be filled with them. */
const maxSetAside = 5

/** Runs operations. Busy and failed ones throw what SQLite throws. */
export class WorkerStore {
  readonly #options: WorkerStoreOptions
  readonly #onWarning: (line: string) => void
  #tables: Tables | undefined
  #lookedAt = 0
  #asideCount = 0
  #hasWarnedOfRecord = false

  constructor(options: WorkerStoreOptions, onWarning: (line: string) => void) {
    this.#options = options
    this.#onWarning = onWarning
  }

  /** Runs one operation; JSON in, JSON out (`null`: nothing there). A damaged file is set aside, and the operation runs on a fresh one. */
  run(operation: Operation, texts: readonly string[]): string | null {
    try {
      return this.#run(this.#current(), operation, texts)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#replaceDamaged(error)
      return this.#run(this.#current(), operation, texts)
    }
  }

  /** The lock, if it may have changed since this was asked last; `undefined` when it surely has not. */
  changedLock(): LockState | undefined {
    return this.#current().lock.readIfChanged()
  }

  /** Writes the log back into the file and lets go of it. */
  close(): void {
    const tables = this.#tables
    this.#tables = undefined
    tables?.database.close()
  }

  #run({ profiles, currencies, lock }: Tables, operation: Operation, texts: readonly string[]): string | null {
    const text = texts[0] ?? 'null'
    switch (operation) {
      case 'open':
        return null
      case 'write':
        profiles.write(texts)
        return null
      case 'read':
        return this.#readProfile(profiles, text)
      case 'find':
        return JSON.stringify(profiles.find(...findArguments(text)))
      case 'purge':
        return String(profiles.purge(text === 'null' ? undefined : Number(text)))
      case 'stats':
        return JSON.stringify(profiles.stats())
      case 'currency':
        return jsonOrNull(currencies.findByCode(text))
      case 'currencies':
        return JSON.stringify(currencies.list())
      case 'upsert':
        currencies.upsert(currenciesOf(text))
        return null
      case 'lock':
        return JSON.stringify(lock.read())
      case 'set-lock':
        lock.write(lockStateOf(text))
        return null
    }
  }

  /** A record that cannot be unpacked is not there for its readers; the rest of the file is. */
  #readProfile(profiles: ProfileTable, token: string): string | null {
    try {
      return profiles.read(token) ?? null
    } catch (error) {
      if (isBusy(error)) throw error
      if (!this.#hasWarnedOfRecord) {
        this.#onWarning(
          `A profile in the store "${this.#options.name}" is damaged and was skipped (${reasonOf(error)}).`,
        )
      }
      this.#hasWarnedOfRecord = true
      return null
    }
  }

  #current(): Tables {
    if (this.#tables !== undefined && this.#hasMoved(this.#tables)) {
      this.#onWarning(`The file of the store "${this.#options.name}" was moved or removed; it is opened anew.`)
      // The log still lies at the old place, where it would be taken for the new file's: it goes into the file it belongs to.
      attempt(() => this.#tables?.database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
      this.close()
    }
    if (this.#tables === undefined) this.#open()
    this.#tables ??= this.#openFile()
    return this.#tables
  }

  #hasMoved({ file }: Tables): boolean {
    const now = performance.now()
    if (now - this.#lookedAt < lookEveryMs) return false
    this.#lookedAt = now
    return identityOf(this.#options.path) !== file
  }

  #open(): void {
    try {
      this.#tables = this.#openFile()
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#replaceDamaged(error)
    }
  }

  #openFile(): Tables {
    const { path, name, bounds } = this.#options
    const database = openDatabase(path, name)
    try {
      this.#lookedAt = performance.now()
      return {
        database,
        file: identityOf(path),
        profiles: new ProfileTable(database, bounds),
        currencies: new CurrencyTable(database),
        lock: new LockTable(database, name),
      }
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Opens an empty file in place of a damaged one, unless another process did so already. */
  #replaceDamaged(error: unknown): void {
    const { path, name } = this.#options
    const isOurs = this.#tables === undefined || identityOf(path) === this.#tables.file
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
    this.#tables = this.#openFile()
    const saved = takeOver(aside, this.#tables)
    this.#onWarning(
      `The store "${name}" is damaged (${reasonOf(error)}). It was set aside as "${aside}" and an empty one was opened; ${saved}.`,
    )
  }
}

/** Copies what can still be read of lock and currencies; says what. */
function takeOver(aside: string, { currencies, lock }: Tables): string {
  const saved: string[] = []
  attempt(() => {
    const damaged = new DatabaseSync(aside, { readOnly: true })
    attempt(() => {
      const state = new LockTable(damaged, aside).read()
      if (state.value === 0) return
      lock.write(state)
      saved.push('its lock')
    })
    attempt(() => {
      const records = new CurrencyTable(damaged).list()
      currencies.upsert(records)
      if (records.length > 0) saved.push('its currencies')
    })
    damaged.close()
  })
  return saved.length === 0 ? 'nothing was taken over' : `${saved.join(' and ')} were taken over`
}

/** Does what may fail on a damaged file without being missed. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Whatever it was is lost with the file; what was not lost is told.
  }
}

function findArguments(json: string): [ProfileFilter, { readonly after?: string; readonly limit?: number }] {
  return JSON.parse(json) as [ProfileFilter, { readonly after?: string; readonly limit?: number }]
}

function currenciesOf(json: string): readonly Currency[] {
  return JSON.parse(json) as readonly Currency[]
}

function lockStateOf(json: string): LockState {
  return JSON.parse(json) as LockState
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
