// The notes, in SQLite. `observeSqlite` shows their queries in the profiler, and does nothing in production.

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from 'fanlight/capture'

export interface Note {
  readonly id: number
  readonly text: string
}

export class Notes {
  readonly #database: DatabaseSync

  /** `:memory:` keeps them in the process. */
  constructor(file: string) {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
    this.#database = observeSqlite(new DatabaseSync(file))
    this.#database.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
  }

  list(): readonly Note[] {
    return this.#database.prepare('SELECT id, text FROM notes ORDER BY id').all().map(toNote)
  }

  find(id: number): Note | undefined {
    const row = this.#database.prepare('SELECT id, text FROM notes WHERE id = ?').get(id)
    return row === undefined ? undefined : toNote(row)
  }

  add(text: string): Note {
    const { lastInsertRowid } = this.#database.prepare('INSERT INTO notes (text) VALUES (?)').run(text)
    return { id: Number(lastInsertRowid), text }
  }

  close(): void {
    this.#database.close()
  }
}

function toNote(row: Record<string, unknown>): Note {
  return { id: Number(row['id']), text: String(row['text']) }
}
