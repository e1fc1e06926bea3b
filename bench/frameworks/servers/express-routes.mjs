// The same application for every version of Express: three functions of middleware and a handler.

import { answer, attach, listen, page } from './shared.mjs'

export function serve(express) {
  const app = attach(express())
  app.disable('x-powered-by')
  for (const name of ['first', 'second', 'third']) {
    app.use((request, response, next) => {
      response.locals[name] = true
      next()
    })
  }
  app.get('/json/:id', (request, response) => response.json(answer(request.params.id)))
  app.get('/page', (request, response) => response.send(page))
  listen(app)
}
