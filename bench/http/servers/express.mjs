// Express with its JSON reader on the one route that needs it. `--pino-http` writes a line of each request.

import express from 'express'
import { colons, orderAnswer, pageBody, postBody, routes, statusBody } from '../table.ts'
import { listening } from './listening.ts'

const handlers = {
  status: [(_request, response) => response.json(statusBody)],
  user_post: [(request, response) => response.json(postBody(request.params.user, request.params.post))],
  page: [(_request, response) => response.type('html').send(pageBody)],
  order: [express.json(), (request, response) => response.json(orderAnswer(request.body))],
}

const app = express()
if (process.argv.includes('--pino-http')) app.use((await import('pino-http')).default())
for (const { name, method, path } of routes) {
  app[method.toLowerCase()](colons(path), ...(handlers[name] ?? [(_request, response) => response.json({ name })]))
}
app.all('/api/status', (_request, response) => {
  response.status(405).set('allow', 'GET, HEAD').json({ error: 'Method Not Allowed' })
})
const server = app.listen(0, '127.0.0.1', () => listening(server.address().port))
