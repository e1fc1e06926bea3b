// Faults of queries: constraints, parameters, names, connections. On a real SQLite; what other databases say, in their words.

import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../../src/capture.ts'
import { json, text } from '../../../src/index.ts'
import { noRefusalOfUndefined } from '../../support/node-features.ts'
import { unchecked, type Case } from '../case.ts'

function shop(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`
    CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE, credit INTEGER CHECK (credit >= 0));
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers(id)) STRICT;
    INSERT INTO customers VALUES (1, 'ann@example.org', 10);
  `)
  return database
}

const refused = (message: string, facts: object): never => {
  throw Object.assign(new Error(message), facts)
}

export const database: readonly Case[] = [
  {
    cause: 'The form has no field "mail", so null is stored where a value is required.',
    routes: (routes) =>
      void routes.get('d', '/', () => json(shop().prepare('INSERT INTO customers (mail) VALUES (?)').run(null))),
    place: "prepare('INSERT INTO customers (mail) VALUES (?)').run(null)",
    says: ['NOT NULL constraint failed: customers.mail'],
    hint: 'customers.mail was given no value',
  },
  {
    cause: 'A purchase takes more credit than there is.',
    routes: (routes) =>
      void routes.get('d', '/', () => json(shop().prepare('UPDATE customers SET credit = credit - ?').run(12))),
    place: "prepare('UPDATE customers SET credit = credit - ?').run(12)",
    says: ['CHECK constraint failed: credit >= 0'],
    hint: 'A value breaks the rule "credit >= 0"',
  },
  {
    cause: 'An order is stored for a customer who does not exist.',
    routes: (routes) =>
      void routes.get('d', '/', () => json(shop().prepare('INSERT INTO orders VALUES (7, ?)').run(99))),
    place: "prepare('INSERT INTO orders VALUES (7, ?)').run(99)",
    says: ['FOREIGN KEY constraint failed'],
    hint: 'The record refers to a missing one',
  },
  {
    cause: 'The query has a comma too many.',
    routes: (routes) => void routes.get('d', '/', () => json(shop().prepare('SELECT id, FROM customers').all())),
    place: "prepare('SELECT id, FROM customers')",
    says: ['near "FROM": syntax error'],
    hint: 'The SQL is not valid near "FROM"',
  },
  {
    cause: 'A column is spelled wrong.',
    routes: (routes) => void routes.get('d', '/', () => json(shop().prepare('SELECT e_mail FROM customers').all())),
    place: "prepare('SELECT e_mail FROM customers')",
    says: ['no such column: e_mail'],
    hint: 'The database has no e_mail',
  },
  {
    cause: 'A field of the query string that is missing is given to the query as undefined.',
    skip: noRefusalOfUndefined,
    routes: (routes) =>
      void routes.get('d', '/', ({ request }) => {
        const id = unchecked(Object.fromEntries(request.query.entries())['id'])
        return json(shop().prepare('SELECT * FROM customers WHERE id = ?').all(id))
      }),
    place: "prepare('SELECT * FROM customers WHERE id = ?').all(id)",
    says: ['cannot be bound to SQLite parameter 1'],
    hint: 'Parameter 1 has a type that SQLite does not store',
  },
  {
    cause: 'The query has one placeholder, and two values are given.',
    routes: (routes) => void routes.get('d', '/', () => json(shop().prepare('SELECT ? AS one').all(1, 2))),
    place: "prepare('SELECT ? AS one').all(1, 2)",
    says: ['column index out of range'],
    hint: 'The query and its parameters do not match',
  },
  {
    cause: 'A value is named otherwise than its placeholder.',
    routes: (routes) => void routes.get('d', '/', () => json(shop().prepare('SELECT $mail').all({ email: 'a' }))),
    place: "prepare('SELECT $mail').all({ email: 'a' })",
    says: ["Unknown named parameter 'email'"],
    hint: 'The query and its parameters do not match',
  },
  {
    cause: 'Text is stored in a column for whole numbers.',
    routes: (routes) =>
      void routes.get('d', '/', () => json(shop().prepare('INSERT INTO orders VALUES (?, 1)').run('seven'))),
    place: "prepare('INSERT INTO orders VALUES (?, 1)').run('seven')",
    says: ['cannot store TEXT value in INTEGER column orders.id'],
    hint: 'The value does not fit its column',
  },
  {
    cause: 'The connection was closed by the first request and is used again.',
    routes: (routes) =>
      void routes.get('d', '/', () => {
        const closed = shop()
        closed.close()
        return json(closed.prepare('SELECT 1').all())
      }),
    place: "closed.prepare('SELECT 1').all()",
    says: ['database is not open'],
    hint: 'The database was used after it was closed',
  },
  {
    cause: 'The folder of the database file does not exist.',
    routes: (routes) => void routes.get('d', '/', () => json(new DatabaseSync('no/such/folder/shop.db').location())),
    place: "new DatabaseSync('no/such/folder/shop.db')",
    says: ['unable to open database file'],
    hint: 'The database file cannot be opened',
  },
  {
    cause: 'Every connection of the pool is taken, because a client is never released.',
    routes: (routes) =>
      void routes.get('d', '/', () => refused('timeout exceeded when trying to connect', { name: 'Error' })),
    place: "refused('timeout exceeded when trying to connect'",
    marked: 'throw Object.assign(new Error(message), facts)',
    says: ['timeout exceeded when trying to connect'],
    hint: 'Every connection of the pool is taken',
  },
  {
    cause: 'A column of PostgreSQL gets null.',
    routes: (routes) =>
      void routes.get('d', '/', () =>
        refused('null value in column "mail" of relation "customers" violates not-null constraint', {
          code: '23502',
          table: 'customers',
          column: 'mail',
        }),
      ),
    place: `refused('null value in column "mail"`,
    marked: 'throw Object.assign(new Error(message), facts)',
    says: ['23502', 'customers'],
    hint: 'customers.mail was given no value',
  },
  {
    cause: 'Text reaches PostgreSQL where a number is expected.',
    routes: (routes) =>
      void routes.get('d', '/', () => refused('invalid input syntax for type integer: "latest"', { code: '22P02' })),
    place: 'refused(\'invalid input syntax for type integer: "latest"',
    marked: 'throw Object.assign(new Error(message), facts)',
    says: ['invalid input syntax for type integer: "latest"'],
    hint: 'The value does not fit its column of type integer',
  },
  {
    cause: 'The customer of the order is not in the table; the query gave no row.',
    routes: (routes) =>
      void routes.get('d', '/', () => {
        const observed = observeSqlite(shop())
        const row = observed.prepare('SELECT mail FROM customers WHERE id = ?').get(404)
        return text(String((row as { mail: string }).mail))
      }),
    place: "observed.prepare('SELECT mail FROM customers WHERE id = ?').get(404)",
    marked: 'return text(String((row as { mail: string }).mail))',
    says: ["Cannot read properties of undefined (reading 'mail')", 'SELECT mail FROM customers WHERE id = ?', '0 rows'],
    hint: 'The value before .mail is undefined',
  },
  {
    cause: 'Each order asks for its customer by a query of its own.',
    routes: (routes) =>
      void routes.get('d', '/', () => {
        const observed = observeSqlite(shop())
        const byId = (id: number): unknown => observed.prepare('SELECT * FROM customers WHERE id = ?').get(id)
        for (let id = 1; id < 6; id += 1) {
          byId(id) // one query each
        }
        throw new Error('The list took too long')
      }),
    place: 'byId(id) // one query each',
    marked: "throw new Error('The list took too long')",
    says: ['N+1 5 queries alike', 'SELECT * FROM customers WHERE id = ?'],
  },
]
