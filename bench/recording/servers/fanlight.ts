// The measured application: a JSON route, and one that runs three queries and fetches from a service.

import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { observeNodeSqlite } from '../../../src/capture.ts'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../../src/index.ts'
import { listening } from '../../http/servers/listening.ts'

const { values } = parseArgs({
  options: { cwd: { type: 'string', default: process.cwd() }, upstream: { type: 'string', default: '' } },
})
const { context } = loadRuntimeContext({ cwd: values.cwd, env: process.env })

const database = observeNodeSqlite(new DatabaseSync(':memory:'))
database.exec('CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER)')
for (let id = 1; id <= 100; id += 1)
  database.exec(`INSERT INTO product VALUES (${id}, 'Product ${id}', ${id}.5, ${id})`)
const one = database.prepare('SELECT id, name, price FROM product WHERE id = ?')
const cheap = database.prepare('SELECT id, name FROM product WHERE price < ? ORDER BY price LIMIT 5')
const count = database.prepare('SELECT count(*) AS count FROM product WHERE stock > ?')

const routes = new RouteCollection()
routes.get('status', '/api/status', () => json({ status: 'ok', version: 3, items: [1, 2, 3] }))
routes.get('work', '/work', async () => {
  const product = one.get(7)
  const others = cheap.all(20)
  const stock = count.get(50)
  const rate: unknown = await (await fetch(values.upstream)).json()
  return json({ product, others, stock, rate })
})
const app = await createApp({ context, routes })
const { port } = await app.listen()
listening(port)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
