// An h3 application in the profiler. Start it with `npm run example:h3`; in your project, import from 'fanlight/h3' and
// 'fanlight/capture'.

import { getRouterParam, H3, html, raw, serve } from 'h3'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { fanlight } from '../../src/h3.ts'
import { homePage, Orders } from '../orders.ts'

const app = fanlight(new H3())
const orders = new Orders(observeSqlite(new DatabaseSync(':memory:')))

app.get('/', () => html(raw(homePage)))
app.get('/orders', () => orders.list())
app.get('/orders/:id', (event) => orders.find(getRouterParam(event, 'id') ?? ''))
app.get('/report', () => orders.report())

const server = serve(app, { port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1', silent: true })
await server.ready()
console.log(server.url?.replace(/\/$/, ''))
