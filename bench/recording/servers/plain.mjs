// A plain node:http server with the same two routes as the measured application; started with `--import` of a tracer it is
// what OpenTelemetry is measured on.

import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { listening } from '../../http/servers/listening.ts'
import { openProducts } from './products.ts'

const { values } = parseArgs({ options: { upstream: { type: 'string', default: '' } } })

const { one, cheap, count } = openProducts()

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
