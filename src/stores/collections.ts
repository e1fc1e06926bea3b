// Records that an application keeps in the store: values of JSON by their keys, in collections. Every store keeps a collection as a hash
// of texts; what makes records of them is here, once.

import { randomUUID } from 'node:crypto'
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

type Fields = readonly (readonly [name: string, text: string])[]

/** How a store keeps collections. */
export interface Hashes {
  get(hash: string, field: string): Promise<string | null>
  getAll(hash: string): Promise<Fields>
  /** All fields or none; if `expected` is given only while the version field is that, and `null`: while there is none. */
  set(hash: string, fields: Fields, expected: string | null | undefined): Promise<boolean>
  /** Asks for the version again and again. Returns what stops it. Default: no other process writes. */
  poll?(hash: string, take: (version: string | null) => void, fail: (error: unknown) => void): () => void
}

/** The field of the version: no key has an `@`. */
export const versionField = '@version'

const keyPattern = /^[\w.:-]{1,200}$/

/** Records of one write at most: a script in Redis takes no more. */
const mostAtOnce = 1000

/** Stores keep something else under these names. */
const taken: ReadonlySet<string> = new Set(['node', 'pause', 'periods', 'reports', 'turned-away'])

/** Opens collections by name; the same one each time. Throws an `EngineError` for a name that cannot be used. */
export function collectionsOver(store: string, hashes: Hashes): (name: string) => Collection {
  const open = new Map<string, Collection>()
  return (name) => {
    const known = open.get(name)
    if (known !== undefined) return known
    if (!/^[a-z][a-z0-9-]{0,49}$/.test(name) || taken.has(name)) {
      const allowed = `1 to 50 lower-case letters, digits and dashes, a letter first, and none of ${[...taken].join(', ')}`
      throw new EngineError(
        'ERR_STORE_RECORD',
        `A collection cannot be called ${JSON.stringify(name)}; allowed: ${allowed}.`,
      )
    }
    const made = new HashCollection(store, name, hashes)
    open.set(name, made)
    return made
  }
}

interface Watcher {
  readonly onChange: (content: CollectionContent) => void
  readonly onError: (error: unknown) => void
  /** What it was last told of; `undefined`: nothing yet. */
  version: string | null | undefined
}

class HashCollection implements Collection {
  readonly store: string
  readonly name: string
  readonly #hashes: Hashes
  readonly #watchers = new Set<Watcher>()
  #stopPolling: (() => void) | undefined
  #telling: Promise<void> | undefined

  constructor(store: string, name: string, hashes: Hashes) {
    this.store = store
    this.name = name
    this.#hashes = hashes
  }

  async read(key: string): Promise<unknown> {
    if (!keyPattern.test(key)) return undefined
    const text = await this.#hashes.get(this.name, key)
    return text === null ? undefined : this.#parse(key, text)
  }

  async readAll(): Promise<CollectionContent> {
    const fields = new Map(await this.#hashes.getAll(this.name))
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
    const isWritten = await this.#hashes.set(this.name, [[versionField, randomUUID()], ...fields], ifVersion)
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
    this.#stopPolling ??= this.#hashes.poll?.(
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
      const text = JSON.stringify(value) as string | undefined
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
