// Records that an application keeps in the store: values of JSON by their keys, in collections. Every store keeps a collection as a hash
// of texts; what makes records of them is here, once. The pause of recording and the journal of the lock lie in such hashes, too.

import { randomUUID } from 'node:crypto'
import { readMarks, withMark, type ErrorMarkStore, readPause, type PauseStore } from '../profiles/set-by-people.ts'
import { EngineError } from './engine-error.ts'

/** All that a collection holds at one time. */
export interface CollectionContent {
  /** Another text after each write; `null`: nothing was ever written. */
  readonly version: string | null
  /** In the order of the keys, each frozen. */
  readonly records: ReadonlyMap<string, unknown>
}

/** Records of one kind. Calls reject with an error whose `code` is `ERR_STORE_…`. */
export interface Collection {
  /** What it was opened by: `shipping`. */
  readonly name: string
  /** The store, for people and for traces: `memory:`, `sqlite:var/fanlight.db`. */
  readonly store: string
  /** The record of a key, frozen; `undefined` if there is none. */
  read(key: string): Promise<unknown>
  /** Everything at one time. */
  readAll(): Promise<CollectionContent>
  /**
   * Writes all records or none, each in place of the one with its key: 1 to 200 letters, digits, `.`, `_`, `:` and `-`. With
   * `ifVersion` only while that is still the version. Whether they were written.
   */
  write(records: Readonly<Record<string, unknown>>, options?: { readonly ifVersion?: string | null }): Promise<boolean>
  /**
   * Calls back with what there is, and within a second after each change by any process; `onError` each time that it cannot be asked for,
   * and after that again with what there is. Returns what stops it.
   */
  watch(onChange: (content: CollectionContent) => void, onError: (error: unknown) => void): () => void
}

/** Names and texts; `null` removes a field. */
export type Fields = readonly (readonly [name: string, text: string | null])[]

export interface SetOptions {
  /** Only while the version field is that; `null`: while there is none. */
  readonly expected?: string | null | undefined
  /**
   * Of several nodes: `replica` rejects where only one has it, `primary` tries until one has it, and `none` sends it once, as it is without a
   * version. Default: `replica`.
   */
  readonly care?: 'replica' | 'primary' | 'none' | undefined
}

/** How a store keeps documents: hashes of texts. Names that begin with an `@` are of stores. */
export interface Documents {
  get(hash: string, field: string): Promise<string | null>
  getAll(hash: string): Promise<readonly (readonly [name: string, text: string])[]>
  /** All fields or none. */
  set(hash: string, fields: Fields, options?: SetOptions): Promise<boolean>
  /** Adds to a number; one that is not there is 0. */
  add(hash: string, field: string, count: number): Promise<void>
  /** Asks for the version again and again. Returns what stops it. Default: no other process writes. */
  poll?(hash: string, take: (version: string | null) => void, fail: (error: unknown) => void): () => void
  /** Its clock, in milliseconds since 1970. Default: that of this machine. */
  now?(): Promise<number>
}

/** The field of the version: no key has an `@`. */
export const versionField = '@version'

const keyPattern = /^[\w.:-]{1,200}$/

export function isOwn(hash: string): boolean {
  return hash.startsWith('@')
}

/** Records of one write at most: a script in Redis takes no more. */
const mostAtOnce = 1000

/** Redis keeps something else under this name. */
const taken = 'node'

/** What every engine keeps as documents. */
export function recordsOver(
  store: string,
  documents: Documents,
): {
  readonly pause: PauseStore
  readonly errorMarks: ErrorMarkStore
  readonly collection: (name: string) => Collection
} {
  return {
    pause: pauseOver(store, documents),
    errorMarks: errorMarksOver(store, documents),
    collection: collectionsOver(store, documents),
  }
}

/** Opens collections by name; the same one each time. Throws an `EngineError` for a name that cannot be used. */
function collectionsOver(store: string, documents: Documents): (name: string) => Collection {
  const open = new Map<string, Collection>()
  return (name) => {
    const known = open.get(name)
    if (known !== undefined) return known
    if (!/^[a-z][a-z0-9-]{0,49}$/.test(name) || name === taken) {
      const allowed = `1 to 50 lower-case letters, digits and dashes, a letter first, and not ${taken}`
      throw new EngineError(
        'ERR_STORE_RECORD',
        `A collection cannot be called ${JSON.stringify(name)}; allowed: ${allowed}.`,
      )
    }
    const made = new DocumentCollection(store, name, documents)
    open.set(name, made)
    return made
  }
}

/** The pause of recording. A store that cannot be reached is reported elsewhere: the last known value counts. */
export function pauseOver(store: string, documents: Documents): PauseStore {
  const collection = new DocumentCollection(store, '@recording', documents, 'primary')
  return {
    read: async () => readPause(await collection.read('pause')),
    write: async (pause) => void (await collection.write({ pause })),
    watch: (onChange) => {
      let known: string | undefined
      const take = ({ records }: CollectionContent): void => {
        const pause = readPause(records.get('pause'))
        // After an outage a collection tells again what there is.
        if (JSON.stringify(pause) === known) return
        known = JSON.stringify(pause)
        onChange(pause)
      }
      return collection.watch(take, () => undefined)
    },
  }
}

/** Times that a mark is written, at most: another process may write one meanwhile. */
const maxTries = 5

/** What people say of errors. */
function errorMarksOver(store: string, documents: Documents): ErrorMarkStore {
  const collection = new DocumentCollection(store, '@errors', documents, 'primary')
  return {
    read: async () => readMarks(await collection.read('marks')),
    add: async (id, mark) => {
      for (let tries = 1; tries <= maxTries; tries += 1) {
        const { version, records } = await collection.readAll()
        const marks = withMark(readMarks(records.get('marks')), id, mark)
        if (await collection.write({ marks }, { ifVersion: version })) return
      }
      throw new EngineError('ERR_STORE_BUSY', `The mark of an error was not kept in ${store}: others write them, too.`)
    },
  }
}

interface Watcher {
  readonly onChange: (content: CollectionContent) => void
  readonly onError: (error: unknown) => void
  /** What it was last told of; `undefined`: nothing yet. */
  version: string | null | undefined
}

class DocumentCollection implements Collection {
  readonly store: string
  readonly name: string
  readonly #documents: Documents
  readonly #care: SetOptions['care']
  readonly #watchers = new Set<Watcher>()
  #stopPolling: (() => void) | undefined
  #telling: Promise<void> | undefined

  constructor(store: string, name: string, documents: Documents, care: SetOptions['care'] = 'replica') {
    this.store = store
    this.name = name
    this.#documents = documents
    this.#care = care
  }

  async read(key: string): Promise<unknown> {
    if (!keyPattern.test(key)) return undefined
    const text = await this.#documents.get(this.name, key)
    return text === null ? undefined : this.#parse(key, text)
  }

  async readAll(): Promise<CollectionContent> {
    const fields = new Map(await this.#documents.getAll(this.name))
    const version = fields.get(versionField) ?? null
    fields.delete(versionField)
    const keys = [...fields.keys()].sort()
    return { version, records: new Map(keys.map((key) => [key, this.#parse(key, fields.get(key) ?? '')])) }
  }

  async write(
    records: Readonly<Record<string, unknown>>,
    { ifVersion }: { readonly ifVersion?: string | null } = {},
  ): Promise<boolean> {
    const fields = Object.entries(records).map(([key, value]) => [key, this.#textOf(key, value)] as const)
    if (fields.length === 0) return true
    if (fields.length > mostAtOnce) this.#refuse(`${fields.length} records`, `at most ${mostAtOnce} in one write`)
    const isWritten = await this.#documents.set(this.name, [[versionField, randomUUID()], ...fields], {
      expected: ifVersion,
      care: this.#care,
    })
    if (isWritten && this.#watchers.size > 0) {
      // What is being read may be older than the write.
      await this.#telling
      await this.#tell()
    }
    return isWritten
  }

  watch(onChange: Watcher['onChange'], onError: Watcher['onError']): () => void {
    const watcher: Watcher = { onChange, onError, version: undefined }
    this.#watchers.add(watcher)
    this.#stopPolling ??= this.#documents.poll?.(
      this.name,
      (version) => this.#look(version),
      (error) => this.#fail(error),
    )
    void this.#tell()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      this.#stopPolling?.()
      this.#stopPolling = undefined
    }
  }

  #look(version: string | null): void {
    for (const watcher of this.#watchers) if (watcher.version !== version) return void this.#tell()
  }

  /** One reading at a time. */
  #tell(): Promise<void> {
    this.#telling ??= this.#tellOnce().finally(() => (this.#telling = undefined))
    return this.#telling
  }

  async #tellOnce(): Promise<void> {
    try {
      const content = await this.readAll()
      for (const watcher of this.#watchers) {
        if (watcher.version === content.version) continue
        watcher.version = content.version
        try {
          watcher.onChange(content)
        } catch (error) {
          watcher.onError(error)
        }
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    for (const watcher of this.#watchers) {
      watcher.version = undefined
      watcher.onError(error)
    }
  }

  #textOf(key: string, value: unknown): string {
    if (!keyPattern.test(key)) {
      this.#refuse(`the key ${JSON.stringify(key.slice(0, 80))}`, '1 to 200 letters, digits, ".", "_", ":" and "-"')
    }
    try {
      const text: string | undefined = JSON.stringify(value)
      if (text !== undefined) return text
    } catch {
      // The same as for what JSON leaves out.
    }
    return this.#refuse(`a record ${JSON.stringify(key)} that JSON cannot hold`, 'what JSON.stringify() takes')
  }

  #refuse(what: string, allowed: string): never {
    throw new EngineError(
      'ERR_STORE_RECORD',
      `The collection ${this.name} of ${this.store} was given ${what}; allowed: ${allowed}.`,
    )
  }

  #parse(key: string, text: string): unknown {
    try {
      return JSON.parse(text, (_, value: unknown) => Object.freeze(value))
    } catch {
      throw new EngineError(
        'ERR_STORE_RECORD',
        `The record ${key} of the collection ${this.name} of ${this.store} cannot be read: it is not JSON.`,
      )
    }
  }
}
