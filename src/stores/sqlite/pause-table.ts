// Whether recording is paused: a text, or no row.

import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class PauseTable {
  readonly #get: StatementSync
  readonly #set: StatementSync
  readonly #remove: StatementSync

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT value FROM pause WHERE id = 1')
    this.#set = database.prepare('INSERT OR REPLACE INTO pause (id, value) VALUES (1, ?)')
    this.#remove = database.prepare('DELETE FROM pause')
  }

  get(): string | null {
    const value = this.#get.get()?.['value']
    return typeof value === 'string' ? value : null
  }

  set(text: string | null): void {
    if (text === null) this.#remove.run()
    else this.#set.run(text)
  }
}
