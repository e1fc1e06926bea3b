// A Hono application in the profiler. Start it with `npm run example:hono`; in your project, import from 'fanlight/hono' and
// 'fanlight/capture'.

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { fanlight } from '../../src/hono.ts'
import { homePage, Orders } from '../orders.ts'

const app = fanlight(new Hono())
const orders = new Orders(observeSqlite(new DatabaseSync(':memory:')))

app.get('/', (context) => context.html(homePage))
app.get('/orders', (context) => context.json(orders.list()))
app.get('/orders/:id', (context) => context.json(orders.find(context.req.param('id'))))
app.get('/report', async (context) => context.json(await orders.report()))

serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`)
})
