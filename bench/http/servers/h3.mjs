// h3 on srvx, which is how h3 serves on Node.

import { H3, readBody, serve } from 'h3'
import { colons, orderAnswer, pageBody, postBody, routes, statusBody } from '../table.ts'
import { listening } from './listening.ts'

const handlers = {
  status: () => statusBody,
  user_post: ({ context }) => postBody(context.params.user, context.params.post),
  page: (event) => {
    event.res.headers.set('content-type', 'text/html; charset=utf-8')
    return pageBody
  },
  order: async (event) => orderAnswer(await readBody(event)),
}

const app = new H3()
for (const { name, method, path } of routes) {
  app.on(method, colons(path), handlers[name] ?? (() => ({ name })))
}
for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
  app.on(method, '/api/status', (event) => {
    event.res.status = 405
    event.res.headers.set('allow', 'GET, HEAD')
    return { error: 'Method Not Allowed' }
  })
}
const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true })
await server.ready()
listening(new URL(server.url).port)
