// What the application is made of.

import { createApp, type FrontController } from 'fanlight'
import { staticFiles } from 'fanlight/static'
import { Notes } from './notes.ts'
import { createRoutes } from './routes.ts'

export const frontController: FrontController = (context) => {
  // The tests keep their notes in memory.
  const notes = new Notes(context.env === 'test' ? ':memory:' : 'var/notes.db')
  return createApp({
    context,
    routes: createRoutes(notes),
    plugins: [staticFiles({ root: 'public' }), { name: 'notes', stop: () => notes.close() }],
  })
}
