// The application lock in PostgreSQL. Every process hears of a change by LISTEN, and asks twice a second in case it did not.

import pg from 'pg'
import { checkLockState, type LockState, type LockStore } from '../../src/index.ts'

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

const pollMs = 500
const timeoutMs = 2000

const neverSet: LockState = { value: 0, reason: '', retryAfterSeconds: null, changedAt: '1970-01-01T00:00:00.000Z' }

/** One statement is one transaction: others are told when it is committed. */
const writeState = `
  WITH written AS (
    INSERT INTO fanlight_lock (id, state) VALUES (1, $1)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state
  )
  SELECT pg_notify('fanlight_lock', '')`

/** Works on one connection, one query after the other: an older state never comes after a newer one. */
export class PostgresLockStore implements LockStore {
  readonly name = 'postgresql:fanlight_lock'
  readonly #settings: pg.ClientConfig
  readonly #watchers = new Set<Watcher>()
  #connection: Promise<pg.Client> | undefined
  /** Ends with the query that was sent last. */
  #queue: Promise<unknown> = Promise.resolve()
  #isLooking = false
  /** The last state that was seen, as JSON. */
  #known: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(settings: pg.ClientConfig) {
    this.#settings = { ...settings, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs }
  }

  async read(): Promise<LockState> {
    const { rows } = await this.#query('SELECT state FROM fanlight_lock')
    const state = checkLockState(this.name, rows[0]?.state ?? neverSet)
    // The first state that is seen is what changes are measured by.
    if (this.#known === undefined) this.#known = JSON.stringify(state)
    else this.#tell(state)
    return state
  }

  async write(given: LockState): Promise<void> {
    const state = checkLockState(this.name, given)
    await this.#query(writeState, [JSON.stringify(state)])
    this.#tell(state)
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    this.#timer ??= setInterval(this.#look, pollMs).unref()
    void this.#look()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** Ends the connection; a later call opens another one. */
  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    await connection?.then(
      (client) => client.end(),
      () => undefined,
    )
  }

  /** A watcher keeps the last value while the database is away. */
  readonly #look = async (): Promise<void> => {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      await this.read()
    } catch (error) {
      for (const { onError } of this.#watchers) onError(error)
    }
    this.#isLooking = false
  }

  #tell(state: LockState): void {
    const json = JSON.stringify(state)
    if (json === this.#known) return
    this.#known = json
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }

  #query(text: string, values: readonly string[] = []): Promise<pg.QueryResult<{ state?: LockState }>> {
    const result = this.#queue.then(() => this.#send(text, values))
    this.#queue = result.catch(() => undefined)
    return result
  }

  async #send(text: string, values: readonly string[]): Promise<pg.QueryResult<{ state?: LockState }>> {
    const connection = (this.#connection ??= this.#connect())
    try {
      return await (await connection).query(text, [...values])
    } catch (error) {
      this.#forget(connection)
      throw error
    }
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#settings)
    const open = async (): Promise<pg.Client> => {
      await client.connect()
      await client.query('LISTEN fanlight_lock')
      return client
    }
    const connection = open()
    client.on('notification', this.#look)
    client.on('error', () => this.#forget(connection))
    return connection
  }

  /** The next query opens another one. */
  #forget(connection: Promise<pg.Client>): void {
    if (this.#connection === connection) this.#connection = undefined
    connection.then((client) => client.end()).catch(() => undefined)
  }
}
