// The application whose growth is measured: the static JSON route in the middle of a table of as many routes as are asked for,
// and a route that tells what the process has done and used so far. Environment and store come from the environment.

import { parseArgs } from 'node:util'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../src/index.ts'
import { listening } from '../http/servers/listening.ts'
import { statusBody } from '../http/table.ts'
import { restTable } from '../routing/tables.ts'

const { values } = parseArgs({
  options: { cwd: { type: 'string', default: process.cwd() }, routes: { type: 'string', default: '50' } },
})
const { context } = loadRuntimeContext({ cwd: values.cwd, env: process.env })
let answered = 0
const app = await createApp({ context, routes: createRoutes(Number(values.routes)) })
const { port } = await app.listen()
listening(port)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))

function createRoutes(count: number): RouteCollection {
  const table = new RouteCollection()
  const others = restTable(count - 2).routes
  const middle = others.length >> 1
  const add = (from: number, to?: number): void => {
    for (const { name, method, path } of others.slice(from, to)) {
      table.add({ name, path, methods: [method], handler: () => json({ name }) })
    }
  }
  add(0, middle)
  table.get('status', '/api/status', () => {
    answered += 1
    return json(statusBody)
  })
  table.get('usage', '/bench/usage', () => json(usage()))
  add(middle)
  return table
}

/** All at one instant: requests of the static route answered, and processor time in microseconds. */
function usage(): object {
  const main = process.threadCpuUsage()
  const all = process.cpuUsage()
  return {
    answered,
    mainMicroseconds: main.user + main.system,
    allMicroseconds: all.user + all.system,
    nowMs: performance.now(),
  }
}
