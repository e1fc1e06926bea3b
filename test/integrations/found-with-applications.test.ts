// Faults that real applications showed.

import assert from 'node:assert/strict'
import { getRequestListener } from '@hono/node-server'
import fastify from 'fastify'
import { Hono } from 'hono'
import { it } from 'node:test'
import { ask, browser, listen } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight: fanlightFastify } = await import('../../src/fastify.ts')
const { fanlight: fanlightHono } = await import('../../src/hono.ts')

it('a page of Hono: arrives whole, though its server tells Node the length before', async (test) => {
  const app = fanlightHono(new Hono())
  app.get('/', (context) => context.html('<!doctype html><html><body><h1>Shop</h1></body></html>'))
  const { port } = await listen(test, getRequestListener(app.fetch))
  const { text } = await ask(port, { headers: browser })
  assert.match(text, /<h1>Shop<\/h1><fanlight-toolbar[^]*<\/body><\/html>$/)
})

it('the lines to change: know the parameters of a route as frameworks write them', async (test) => {
  const app = fanlightFastify(fastify())
  const names = new Map([['7', { name: 'Ada' }]])
  const nameOf = (id: string | undefined): string => names.get(id ?? '')?.name.slice(0) as string
  app.get<{ Params: { id: string } }>('/orders/:id', ({ params: { id } }) => nameOf(id).toUpperCase())
  app.get<{ Params: { ide: string } }>('/typo/:id(^\\d+$)', ({ params: { ide } }) => nameOf(ide).toUpperCase())
  const { server } = await app.listen({ port: 0, host: '127.0.0.1' }).then(() => app)
  test.after(async () => app.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const right = await ask(address.port, { path: '/orders/8', headers: { accept: 'text/markdown' } })
  assert.equal(right.status, 500)
  assert.doesNotMatch(right.text, /reads the parameter/)
  const wrong = await ask(address.port, { path: '/typo/7', headers: { accept: 'text/markdown' } })
  assert.match(wrong.text, /reads the parameter `ide`, but the route \/typo\/:id\(\^\\d\+\$\) has :id/)
})
