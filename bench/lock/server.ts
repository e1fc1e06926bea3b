// An application that can be closed: with exceptions of each kind where `EXCEPT` is set.

import { parseArgs } from 'node:util'
import { createApp, json, loadRuntimeContext, maintenance, RouteCollection } from '../../src/index.ts'
import { listening } from '../http/servers/listening.ts'

const { values } = parseArgs({ options: { cwd: { type: 'string', default: process.cwd() } } })
const { context } = loadRuntimeContext({ cwd: values.cwd, env: process.env })
const routes = new RouteCollection()
  .get('status', '/api/status', () => json({ status: 'ok' }))
  .get('health', '/health', () => json({ status: 'ok' }))
const except = ['/health/*', 'route:health', '10.0.0.0/8', 'host:admin.example', 'links']
const hasExceptions = process.env['EXCEPT'] === '1'
const app = await createApp({
  context,
  routes,
  plugins: [maintenance(hasExceptions ? { except } : {})],
  log: { write: () => undefined },
})
const { port } = await app.listen()
listening(port)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
