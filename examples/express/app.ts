// An Express application in the profiler: the first two lines below the imports. Start it with `npm run example:express`; in
// your project, import from 'fanlight/express' and 'fanlight/capture'.

import express from 'express'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { fanlight } from '../../src/express.ts'
import { homePage, Orders } from '../orders.ts'

const app = fanlight(express())
const orders = new Orders(observeSqlite(new DatabaseSync(':memory:')))

app.get('/', (request, response) => void response.send(homePage))
app.get('/orders', (request, response) => void response.json(orders.list()))
app.get('/orders/:id', (request, response) => void response.json(orders.find(request.params.id)))
app.get('/report', async (request, response) => void response.json(await orders.report()))

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}`)
})
