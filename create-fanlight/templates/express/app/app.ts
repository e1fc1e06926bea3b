// The application. `fanlight()` gives it the profiler and the error pages in development, and does nothing in production.

import express, { type Express } from 'express'
import { fanlight } from 'fanlight/express'
import type { Notes } from './notes.ts'

export function createApp(notes: Notes): Express {
  const app = fanlight(express())
  app.use(express.json())

  app.get('/', (request, response) => void response.send('<h1>Notes</h1><p><a href="/notes">All notes</a></p>'))
  app.get('/notes', (request, response) => void response.json(notes.list()))
  app.get('/notes/:id', (request, response) => {
    const note = notes.find(Number(request.params.id))
    if (note === undefined) response.status(404).json({ error: 'There is no such note' })
    else response.json(note)
  })
  app.post('/notes', (request, response) => {
    const text: unknown = request.body?.text
    if (typeof text !== 'string' || text.trim() === '') response.status(422).json({ error: 'text is missing' })
    else response.status(201).json(notes.add(text.trim()))
  })
  return app
}
