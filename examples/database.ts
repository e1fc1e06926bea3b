// Statements in the profile: `/orders` asks for each customer by itself, which the panel Database names an N+1. Start it with
// `APP_ENV=dev`; in your project, import from 'fanlight' and 'fanlight/capture'.

import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { observeSqlite } from '../src/capture.ts'
import { createApp, json, RouteCollection, run } from '../src/index.ts'

const shop = observeSqlite(new DatabaseSync(':memory:'))
shop.exec(`
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER);
  INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Edsger');
  INSERT INTO orders VALUES (10, 1), (11, 2), (12, 3);
`)

const routes = new RouteCollection().get('orders', '/orders', () => {
  const customer = shop.prepare('SELECT name FROM customers WHERE id = ?')
  const orders = shop.prepare('SELECT id, customer FROM orders').all()
  const nameOf = (id: SQLOutputValue | undefined): unknown => customer.get(id ?? null)?.['name']
  return json({ orders: orders.map((order) => ({ id: order['id'], name: nameOf(order['customer']) })) })
})

await run((context) => createApp({ context, routes }))
