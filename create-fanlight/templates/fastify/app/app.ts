// The application. `fanlight()` gives it the profiler and the error pages in development, and does nothing in production.

import { fanlight } from 'fanlight/fastify'
import fastify, { type FastifyInstance } from 'fastify'
import type { Notes } from './notes.ts'

const newNote = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', pattern: '\\S', maxLength: 1000 } },
} as const

export function createApp(notes: Notes): FastifyInstance {
  const app = fanlight(fastify())

  app.get('/', (request, reply) => reply.type('text/html').send('<h1>Notes</h1><p><a href="/notes">All notes</a></p>'))
  app.get('/notes', () => notes.list())
  app.get<{ Params: { id: string } }>('/notes/:id', (request, reply) => {
    const note = notes.find(Number(request.params.id))
    return note ?? reply.code(404).send({ error: 'There is no such note' })
  })
  app.post<{ Body: { text: string } }>('/notes', { schema: { body: newNote } }, (request, reply) =>
    reply.code(201).send(notes.add(request.body.text.trim())),
  )
  app.addHook('onClose', () => notes.close())
  return app
}
