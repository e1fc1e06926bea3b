// A small application that is run as a separate process, one of many that share a store. `KEEP_RATE` is `recording.keep.rate`.

import { createApp, json, RouteCollection, run } from '../../src/index.ts'
import { profiler } from '../../src/profiler.ts'

const routes = new RouteCollection()
routes.get('ordinary', '/ordinary', () => json({ done: true }))
routes.get('error', '/error', () => {
  throw new TypeError('no price for "a lamp"')
})

const rate = Number(process.env['KEEP_RATE'] ?? 1)
const recording = { maxPerSecond: Infinity, keep: { rate, slowMs: false } } as const

await run((context) => createApp({ context, routes, plugins: [profiler({ recording })] }))
