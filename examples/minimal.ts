// The smallest application: three routes. Start it with `APP_ENV=dev`; in your project, import from 'fanlight'.

import { createApp, html, json, RouteCollection, run } from '../src/index.ts'

const routes = new RouteCollection()
  .get('home', '/', () => html`<!doctype html><h1><a href="/greet/Ada">Greet Ada</a></h1>`)
  .get('greet', '/greet/{name}', ({ request }) => html`<!doctype html><h1>Hello, ${request.params.name}!</h1>`)
  .get('api_square', '/api/square/{n<int>}', ({ request }) => json({ square: request.params.n ** 2 }))

await run((context) => createApp({ context, routes }))
