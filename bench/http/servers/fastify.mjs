// Fastify as its guide has it: handlers return objects. No schema. `--logger` writes its lines of each request.

import fastify from 'fastify'
import { colons, orderAnswer, pageBody, postBody, routes, statusBody } from '../table.ts'
import { listening } from './listening.ts'

const handlers = {
  status: () => statusBody,
  user_post: (request) => postBody(request.params.user, request.params.post),
  page: (_request, reply) => reply.type('text/html; charset=utf-8').send(pageBody),
  order: (request) => orderAnswer(request.body),
}

const app = fastify({ logger: process.argv.includes('--logger') })
for (const { name, method, path } of routes) {
  app.route({ method, url: colons(path), handler: handlers[name] ?? (() => ({ name })) })
}
app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url: '/api/status', handler: notAllowed })
await app.listen({ port: 0, host: '127.0.0.1' })
listening(app.server.address().port)

function notAllowed(_request, reply) {
  return reply.code(405).header('allow', 'GET, HEAD').send({ error: 'Method Not Allowed' })
}
