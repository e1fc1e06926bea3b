// A plain node:http server with the same two routes as the measured application; started with `--import` of a tracer it is
// what OpenTelemetry is measured on.

import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { listening } from '../../http/servers/listening.ts'

const { values } = parseArgs({ options: { upstream: { type: 'string', default: '' } } })

const database = new DatabaseSync(':memory:')
database.exec('CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER)')
for (let id = 1; id <= 100; id += 1)
  database.exec(`INSERT INTO product VALUES (${id}, 'Product ${id}', ${id}.5, ${id})`)
const one = database.prepare('SELECT id, name, price FROM product WHERE id = ?')
const cheap = database.prepare('SELECT id, name FROM product WHERE price < ? ORDER BY price LIMIT 5')
const count = database.prepare('SELECT count(*) AS count FROM product WHERE stock > ?')

const server = createServer((request, response) => {
  if (request.url === '/api/status') answer(response, { status: 'ok', version: 3, items: [1, 2, 3] })
  else if (request.url === '/work') void work(response)
  else response.writeHead(404).end()
})

async function work(response) {
  const product = one.get(7)
  const others = cheap.all(20)
  const stock = count.get(50)
  const rate = await (await fetch(values.upstream)).json()
  answer(response, { product, others, stock, rate })
}

function answer(response, value) {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

server.listen(0, '127.0.0.1', () => listening(server.address().port))
