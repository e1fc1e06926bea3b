// What the examples of other frameworks share: orders and their customers in SQLite, an N+1, a slow report and a fault.

import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'

export interface Order {
  readonly id: number
  readonly customer: string
}

export class Orders {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(`
      CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER);
      INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Edsger');
      INSERT INTO orders VALUES (10, 1), (11, 2), (12, 3);
    `)
  }

  /** Asks for each customer by itself: an N+1. */
  list(): readonly Order[] {
    const nameOf = this.#database.prepare('SELECT name FROM customers WHERE id = ?')
    const orders = this.#database.prepare('SELECT id, customer FROM orders').all()
    return orders.map(({ id, customer }) => ({
      id: Number(id),
      customer: String(nameOf.get(customer ?? null)?.['name']),
    }))
  }

  /** Fails with a TypeError for an order that is not there. */
  find(id: string): Order {
    const row = this.#database
      .prepare('SELECT orders.id, name FROM orders JOIN customers ON customers.id = customer WHERE orders.id = ?')
      .get(id) as { readonly name: string }
    return { id: Number(id), customer: row.name }
  }

  /** Waits as long as a slow service would. */
  async report(): Promise<{ readonly orders: number }> {
    await setTimeout(600)
    return { orders: Number(this.#database.prepare('SELECT count(*) AS count FROM orders').get()?.['count']) }
  }
}

/** The first page: a link to each thing to look at. */
export const homePage = `<!doctype html>
<html lang="en">
<head><title>Orders</title></head>
<body>
<h1>Orders</h1>
<ul>
<li><a href="/orders">Orders</a>, with a query for each customer</li>
<li><a href="/orders/10">An order</a> and <a href="/orders/99">one that is not there</a>, which fails</li>
<li><a href="/report">A report</a>, which is slow</li>
<li><a href="/ordres">An unknown path</a></li>
<li><a href="/_profiler/">The profiler</a></li>
</ul>
</body>
</html>
`
