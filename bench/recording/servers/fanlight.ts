// The measured application: a JSON route, and one that runs three queries and fetches from a service.

import { parseArgs } from 'node:util'
import { observeSqlite } from '../../../src/capture.ts'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../../src/index.ts'
import { profiler } from '../../../src/profiler.ts'
import { listening } from '../../http/servers/listening.ts'
import { openProducts } from './products.ts'

const { values } = parseArgs({
  options: {
    cwd: { type: 'string', default: process.cwd() },
    upstream: { type: 'string', default: '' },
    defaults: { type: 'boolean', default: false },
  },
})
const { context } = loadRuntimeContext({ cwd: values.cwd, env: process.env })

const { one, cheap, count } = openProducts(observeSqlite)

const routes = new RouteCollection()
routes.get('status', '/api/status', () => json({ status: 'ok', version: 3, items: [1, 2, 3] }))
routes.get('work', '/work', async () => {
  const product = one.get(7)
  const others = cheap.all(20)
  const stock = count.get(50)
  const rate: unknown = await (await fetch(values.upstream)).json()
  return json({ product, others, stock, rate })
})
// Every request is recorded, if nothing else is asked for: what is measured is what recording costs, not how seldom it happens.
const recording = values.defaults ? {} : { maxPerSecond: Infinity }
const app = await createApp({ context, routes, plugins: [profiler({ recording })] })
const { port } = await app.listen()
listening(port)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
