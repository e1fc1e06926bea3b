// Every route of the application: a name, a path and a handler.

import { NotFoundHttpError, redirect, reply, RouteCollection } from 'fanlight'
import type { Notes } from './notes.ts'
import { homePage, notePage } from './pages.ts'

export function createRoutes(notes: Notes): RouteCollection {
  return new RouteCollection()
    .get('home', '/', () => homePage(notes.list()))
    .get('note', '/notes/{id<int>}', ({ request }) => {
      const note = notes.find(request.params.id)
      if (note === undefined) throw new NotFoundHttpError('There is no such note')
      return notePage(note)
    })
    .post('note_add', '/notes', async ({ request }) => {
      const form = await request.body.form()
      const text = form.get('text')?.[0]?.trim() ?? ''
      if (text === '') return reply(homePage(notes.list(), 'Write something first.'), { status: 422 })
      notes.add(text)
      return redirect('/', { status: 303 })
    })
}
