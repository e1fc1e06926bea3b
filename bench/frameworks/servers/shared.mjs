// What each application here has: a JSON route with a parameter, a page of 20 KB, and the two lines, if the bench wants them.

import { createServer } from 'node:http'

const entry = process.env.BENCH_ENTRY

/** Attaches the profiler, or does nothing. */
const { fanlight } = entry === undefined ? { fanlight: (application) => application } : await import(entry)

/** Every request is recorded: what is measured is what recording costs, not how seldom it happens. */
export const attach = (application) => fanlight(application, { recording: { maxPerSecond: Infinity } })

export const answer = (id) => ({ id, status: 'ok', items: [1, 2, 3] })

const row = (index) => `<tr><td>${index}</td><td>An order of somebody, number ${index}</td><td>12.50</td></tr>\n`
const rows = Array.from({ length: 266 }, (_, index) => row(index)).join('')

export const page = `<!doctype html>
<html lang="en"><head><title>Orders</title></head><body><table>
${rows}</table></body></html>
`

/** Tells the bench where a server listens. */
export function tell(server) {
  process.send?.({ port: server.address().port })
}

/** Listens with a listener of node:http. */
export function listen(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1', () => tell(server))
  return server
}

process.on('SIGTERM', () => process.exit(0))
