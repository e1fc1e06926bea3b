// Hono on its node server.

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { colons, orderAnswer, pageBody, postBody, routes, statusBody } from '../table.ts'
import { listening } from './listening.ts'

const handlers = {
  status: (context) => context.json(statusBody),
  user_post: (context) => context.json(postBody(context.req.param('user'), context.req.param('post'))),
  page: (context) => context.html(pageBody),
  order: async (context) => context.json(orderAnswer(await context.req.json())),
}

const app = new Hono()
for (const { name, method, path } of routes) {
  app.on(method, colons(path), handlers[name] ?? ((context) => context.json({ name })))
}
app.on(['POST', 'PUT', 'PATCH', 'DELETE'], '/api/status', (context) =>
  context.json({ error: 'Method Not Allowed' }, 405, { allow: 'GET, HEAD' }),
)
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => listening(port))
