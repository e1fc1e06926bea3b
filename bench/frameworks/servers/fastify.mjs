import fastify from 'fastify'
import { answer, attach, page, tell } from './shared.mjs'

const app = attach(fastify())
app.get('/json/:id', ({ params }, reply) => reply.send(answer(params.id)))
app.get('/page', (request, reply) => reply.type('text/html').send(page))
await app.listen({ port: 0, host: '127.0.0.1' })
tell(app.server)
