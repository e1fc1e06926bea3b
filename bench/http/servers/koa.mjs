// Koa with its router; the body is read by hand, for Koa brings no reader.

import { Router } from '@koa/router'
import Koa from 'koa'
import { colons, orderAnswer, pageBody, postBody, routes, statusBody } from '../table.ts'
import { listening } from './listening.ts'

const handlers = {
  status: (context) => {
    context.body = statusBody
  },
  user_post: (context) => {
    context.body = postBody(context.params.user, context.params.post)
  },
  page: (context) => {
    context.type = 'html'
    context.body = pageBody
  },
  order: async (context) => {
    const chunks = []
    for await (const chunk of context.req) chunks.push(chunk)
    context.body = orderAnswer(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  },
}

const router = new Router()
for (const { name, method, path } of routes) {
  const other = (context) => {
    context.body = { name }
  }
  router[method.toLowerCase()](colons(path), handlers[name] ?? other)
}
const app = new Koa()
app.use(router.routes())
app.use(router.allowedMethods())
const server = app.listen(0, '127.0.0.1', () => listening(server.address().port))
