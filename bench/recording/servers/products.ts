// The table and the three queries that both servers of a comparison run.

import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** Prepared queries of one table of a hundred products, in memory. */
export interface Products {
  readonly one: StatementSync
  readonly cheap: StatementSync
  readonly count: StatementSync
}

/** Makes the table; `observe` gets the database before anything is prepared. Default: nobody does. */
export function openProducts(observe: (database: DatabaseSync) => DatabaseSync = (database) => database): Products {
  const database = observe(new DatabaseSync(':memory:'))
  database.exec('CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER)')
  for (let id = 1; id <= 100; id += 1)
    database.exec(`INSERT INTO product VALUES (${id}, 'Product ${id}', ${id}.5, ${id})`)
  return {
    one: database.prepare('SELECT id, name, price FROM product WHERE id = ?'),
    cheap: database.prepare('SELECT id, name FROM product WHERE price < ? ORDER BY price LIMIT 5'),
    count: database.prepare('SELECT count(*) AS count FROM product WHERE stock > ?'),
  }
}
