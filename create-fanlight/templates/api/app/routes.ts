// Every route of the API: a name, a path and a handler.

import { json, NotFoundHttpError, RouteCollection } from 'fanlight'
import * as v from 'valibot'
import type { Notes } from './notes.ts'

const NewNote = v.object({ text: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(1000)) })

export function createRoutes(notes: Notes): RouteCollection {
  return new RouteCollection()
    .get('home', '/', () => json({ notes: '/notes', health: '/health' }))
    .get('health', '/health', () => json({ status: 'ok' }))
    .get('notes', '/notes', () => json(notes.list()))
    .get('note', '/notes/{id<int>}', ({ request }) => {
      const note = notes.find(request.params.id)
      if (note === undefined) throw new NotFoundHttpError('There is no such note')
      return json(note)
    })
    .post(
      'note_add',
      '/notes',
      ({ valid }) => {
        const note = notes.add(valid.body.text)
        return json(note, { status: 201, headers: { location: `/notes/${note.id}` } })
      },
      // What does not fit gets a 422 that names each place.
      { body: NewNote },
    )
}
