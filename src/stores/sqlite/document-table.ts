// The hashes of collections in the database: a table that is created when collections are first used.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { versionField, type Fields } from '../collections.ts'
import { inTransaction } from './transaction.ts'

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
export function openDocumentTable(database: DatabaseSync): DocumentTable {
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
export function allDocuments(database: DatabaseSync): readonly Row[] {
  if (hasTable(database, 'document')) return all(database, 'SELECT collection, field, text FROM document')
  return hasTable(database, 'currencies') ? all(database, recordsOfVersion01) : []
}

function all(database: DatabaseSync, query: string): readonly Row[] {
  return database.prepare(query).all() as readonly unknown[] as readonly Row[]
}

/** Whether the database has a table. */
export function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
}

const setText = 'INSERT OR REPLACE INTO document (collection, field, text) VALUES (?, ?, ?)'

function writeRows(database: DatabaseSync, rows: readonly Row[]): void {
  const set = database.prepare(setText)
  for (const { collection, field, text } of rows) set.run(collection, field, text)
}

export class DocumentTable {
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
