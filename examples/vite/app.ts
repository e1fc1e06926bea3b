// The application behind Vite: its pages load scripts from Vite, which compiles them and reloads the page when they change.

import express from 'express'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { fanlight } from '../../src/express.ts'
import { Orders } from '../orders.ts'

const app = fanlight(express())
const orders = new Orders(observeSqlite(new DatabaseSync(':memory:')))

const page = `<!doctype html>
<html lang="en">
<head>
<title>Orders</title>
<script type="module" src="/@vite/client"></script>
<script type="module" src="/src/orders.ts"></script>
</head>
<body><h1>Orders</h1><ul></ul></body>
</html>
`

app.get('/', (request, response) => void response.send(page))
app.get('/orders', (request, response) => void response.json(orders.list()))
app.get('/orders/:id', (request, response) => void response.json(orders.find(request.params.id)))

app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
