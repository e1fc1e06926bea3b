import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { answer, attach, listen, page } from './shared.mjs'

const app = attach(new Hono())
app.get('/json/:id', (context) => context.json(answer(context.req.param('id'))))
app.get('/page', (context) => context.html(page))
listen(getRequestListener(app.fetch))
