// A Koa application in the profiler. Start it with `npm run example:koa`; in your project, import from 'fanlight/koa' and
// 'fanlight/capture'.

import { Router } from '@koa/router'
import Koa from 'koa'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { fanlight } from '../../src/koa.ts'
import { homePage, Orders } from '../orders.ts'

const app = fanlight(new Koa())
const orders = new Orders(observeSqlite(new DatabaseSync(':memory:')))

const router = new Router()
router.get('/', (context) => void (context.body = homePage))
router.get('/orders', (context) => void (context.body = orders.list()))
router.get('/orders/:id', (context) => void (context.body = orders.find(String(context.params['id']))))
router.get('/report', async (context) => void (context.body = await orders.report()))
app.use(router.routes()).use(router.allowedMethods())

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}`)
})
