// A Fastify application in the profiler. Start it with `npm run example:fastify`; in your project, import from
// 'fanlight/fastify' and 'fanlight/capture'.

import fastify from 'fastify'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { fanlight } from '../../src/fastify.ts'
import { homePage, Orders } from '../orders.ts'

const app = fanlight(fastify())
const orders = new Orders(observeSqlite(new DatabaseSync(':memory:')))

app.get('/', (request, reply) => reply.type('text/html').send(homePage))
app.get('/orders', () => orders.list())
app.get<{ Params: { id: string } }>('/orders/:id', ({ params }) => orders.find(params.id))
app.get('/report', async () => orders.report())

console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' }))
