// Ours, as an application is written with it. Environment and store come from the environment, as in production.

import { parseArgs } from 'node:util'
import { createApp, json, loadRuntimeContext, RouteCollection, trusted } from '../../../src/index.ts'
import { orderAnswer, pageBody, postBody, routes, statusBody } from '../table.ts'
import { listening } from './listening.ts'

const { values } = parseArgs({ options: { cwd: { type: 'string', default: process.cwd() } } })
const { context } = loadRuntimeContext({ cwd: values.cwd, env: process.env })
const app = await createApp({ context, routes: createRoutes() })
const { port } = await app.listen()
listening(port)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))

function createRoutes(): RouteCollection {
  const table = new RouteCollection()
  table.get('status', '/api/status', () => json(statusBody))
  table.get('user_post', '/users/{user}/posts/{post}', ({ request: { params } }) =>
    json(postBody(params.user, params.post)),
  )
  table.get('page', '/page', () => trusted(pageBody))
  table.post('order', '/api/orders', async ({ request: { body } }) => json(orderAnswer(await body.json())))
  for (const { name, method, path } of routes) {
    if (table.route(name) !== undefined) continue
    table.add({ name, path, methods: [method], handler: () => json({ name }) })
  }
  return table
}
