// Whether memory stays flat with recording on: `node bench/recording/rss.ts [--requests=100000]`. Sends requests to one server,
// notes its resident memory every 10,000, and looks at last whether the store kept its bounds.

import { readFileSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdownTable } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { findPairs } from './pairs.ts'
import { sendPaced } from './paced.ts'

const { values: flags } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, pace: { type: 'string', default: '2500' } },
})
const step = 10_000
const perSecond = Number(flags.pace)
const pair = findPairs('').find(({ name }) => name === 'fanlight, sqlite')
if (pair === undefined) throw new Error('There is no such pair')
const server = await ServerProcess.start(pair.on, 0)
try {
  const rows: { requests: number; megabytes: number }[] = []
  let requests = 0
  while (requests < Number(flags.requests)) {
    const target = requests + step
    while (requests < target) {
      const seconds = Math.max(0.2, (target - requests) / perSecond)
      requests += (await sendPaced(server.url, '/api/status', { perSecond, connections: 16, seconds })).requests
    }
    rows.push({ requests, megabytes: residentMegabytes(server.pid) })
    console.error(`${requests} requests, ${rows.at(-1)?.megabytes.toFixed(1)} MB`)
  }
  await new Promise((resolve) => setTimeout(resolve, 2000))
  console.log(
    markdownTable(
      ['requests', 'RSS MB'],
      rows.map((row) => [String(row.requests), row.megabytes.toFixed(1)]),
    ),
  )
  // The first requests fill caches, the heap and the code of the compiler. F38 asks for the last 60 %.
  for (const [name, from] of [
    [`after the first ${2 * step}`, 2 * step],
    ['over the last 60 %', requests * 0.4],
  ] as const) {
    const settled = rows.filter((row) => row.requests > from)
    console.log(`\nSlope ${name}: ${(slope(settled) * step).toFixed(2)} MB per ${step} requests`)
  }
  const file = join(server.directory, 'bench.db')
  const database = new DatabaseSync(file, { readOnly: true })
  const totals = database.prepare('SELECT count, bytes FROM totals').get()
  const written = database.prepare('SELECT max(seq) AS seq FROM profile').get()?.['seq']
  database.close()
  const size = (statSync(file).size / 1024 / 1024).toFixed(1)
  console.log(
    `Store: ${String(written)} written, ${String(totals?.['count'])} kept (cap 10,000), ${String(totals?.['bytes'])} bytes counted, file ${size} MB`,
  )
} finally {
  await server.stop()
}

/** Least squares: megabytes for one request. */
function slope(rows: readonly { requests: number; megabytes: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(rows.map((row) => row.requests))
  const y = mean(rows.map((row) => row.megabytes))
  const above = rows.reduce((sum, row) => sum + (row.requests - x) * (row.megabytes - y), 0)
  return above / rows.reduce((sum, row) => sum + (row.requests - x) ** 2, 0)
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
