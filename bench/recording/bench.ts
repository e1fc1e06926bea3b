// Measures what recording costs: `npm run bench:recording [-- --rounds=11 --cases=json;work --saturation --apart --only=…]`. Each
// contestant runs twice, recording off and on, in their own processes; a round goes through all of them in turn, so that a slow
// minute of the machine is one for all. Processor time is that of the main thread, from the system; the pace is below saturation
// but for `--saturation`, where one pair is measured after the other. A server has one core for all its threads; `--apart` leaves
// that core to its main thread, and the others share one with the client.

import { execFileSync } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { markdownTable, median, middleHalf } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { wrk, type WrkResult } from '../http/wrk.ts'
import { findPairs } from './pairs.ts'
import { sendPaced } from './paced.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    seconds: { type: 'string', default: '1' },
    pace: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '16' },
    cases: { type: 'string', default: 'json;work' },
    only: { type: 'string', default: '' },
    saturation: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const pace = {
  perSecond: Number(flags.pace),
  connections: Number(flags.connections),
  seconds: Number(flags.seconds),
  // With `--apart` it has its core together with the servers' other threads.
  sleeps: flags.apart,
}
const paths: Readonly<Record<string, string>> = { json: '/api/status', work: '/work' }

// The client must not use the servers' core.
execFileSync('taskset', ['-apc', '1', String(process.pid)], { stdio: 'ignore' })
const upstream = await ServerProcess.start(
  {
    name: 'upstream',
    file: fileURLToPath(new URL('servers/upstream.mjs', import.meta.url)),
    args: [],
    env: {},
  },
  1,
)
const running: Running[] = []
try {
  for (const pair of findPairs(upstream.url)) {
    if (flags.only !== '' && !flags.only.split(';').some((part) => pair.name.includes(part))) continue
    const off = await ServerProcess.start(pair.off, 0, pair.off.flags)
    running.push({ name: pair.name, off, on: await ServerProcess.start(pair.on, 0, pair.on.flags) })
  }
  for (const name of flags.cases.split(';')) {
    const path = paths[name]
    if (path === undefined) throw new Error(`--cases=${name}; allowed: ${Object.keys(paths).join(', ')}`)
    if (!flags.saturation) await measurePaced(running, name, path)
    else for (const pair of running) await measureSaturation(pair, name, path)
  }
} finally {
  for (const { off, on } of running) await Promise.all([off.stop(), on.stop()])
  await upstream.stop()
}

/** The two processes of a pair. */
interface Running {
  readonly name: string
  readonly off: ServerProcess
  readonly on: ServerProcess
}

async function measurePaced(pairs: readonly Running[], name: string, path: string): Promise<void> {
  // Long enough for the compiler to have seen everything: after 3,000 requests a recorded one still takes half as many instructions more.
  for (const server of pairs.flatMap(({ off, on }) => [off, on])) {
    await sendPaced(server.url, path, { ...pace, seconds: 10, perSecond: 2500 })
    if (flags.apart) server.moveOtherThreads(1)
  }
  // What waits from before is not counted.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const results = pairs.map((pair) => ({ pair, before: storing(pair.on), sent: 0, skipped: 0, rows: [] as Row[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const result of results) {
      const off = await cost(result.pair.off, path)
      const on = await cost(result.pair.on, path)
      result.skipped += off.skipped + on.skipped
      result.sent += on.requests
      result.rows.push({ off, on })
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  console.log(`\n### ${name}, ${pace.perSecond} requests a second\n`)
  console.log(
    markdownTable(
      ['', 'µs main off', 'µs main on', 'µs more', 'middle half', 'least', 'µs more, all threads', 'turns skipped', ''],
      results.map(({ pair, before, sent, skipped, rows }) => {
        const more = rows.map(({ off, on }) => on.main - off.main)
        return [
          pair.name,
          median(rows.map(({ off }) => off.main)).toFixed(1),
          median(rows.map(({ on }) => on.main)).toFixed(1),
          median(more).toFixed(1),
          middleHalf(more, 1),
          Math.min(...more).toFixed(1),
          median(rows.map(({ off, on }) => on.all - off.all)).toFixed(1),
          String(skipped),
          describeStoring(before, storing(pair.on), sent),
        ]
      }),
    ),
  )
}

/** One round of a pair. */
interface Row {
  readonly off: Cost
  readonly on: Cost
}

async function measureSaturation({ name: pair, off, on }: Running, name: string, path: string): Promise<void> {
  const request = { name, method: 'GET', path, status: 200, holds: '' } as const
  const load = { core: 1, connections: 64, seconds: pace.seconds }
  for (const server of [off, on]) await wrk(server.url, request, { ...load, seconds: 4 })
  const rows: { off: WrkResult; on: WrkResult }[] = []
  // What waits from before is not counted.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const before = storing(on)
  let sent = 0
  for (let round = 0; round < rounds; round += 1) {
    const row = { off: await wrk(off.url, request, load), on: await wrk(on.url, request, load) }
    sent += row.on.requests
    rows.push(row)
  }
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const ratios = rows.map((row) => row.on.perSecond / row.off.perSecond)
  const kept = describeStoring(before, storing(on), sent)
  console.log(`\n### ${pair}, ${name}, at saturation (${kept})\n`)
  console.log(
    markdownTable(
      ['', 'req/s', 'p99 in ms', 'peak MB'],
      (['off', 'on'] as const).map((which) => [
        which,
        median(rows.map((row) => row[which].perSecond)).toFixed(0),
        median(rows.map((row) => row[which].p99Ms)).toFixed(1),
        { off, on }[which].peakMegabytes().toFixed(0),
      ]),
    ),
  )
  console.log(`\nRequests, on to off: ${median(ratios).toFixed(2)} (${middleHalf(ratios, 2)})`)
}

/** Processor time a request, in microseconds, and how many there were. */
interface Cost {
  readonly main: number
  readonly all: number
  readonly requests: number
  readonly skipped: number
}

async function cost(server: ServerProcess, path: string): Promise<Cost> {
  const before = server.processorTime()
  const { requests, skipped } = await sendPaced(server.url, path, pace)
  const after = server.processorTime()
  return {
    main: (after.mainThread - before.mainThread) / requests,
    all: (after.all - before.all) / requests,
    requests,
    skipped,
  }
}

/** What a server has stored, and the time of its other threads for that, nearly all of it the store's. */
interface Storing {
  readonly stored: number | undefined
  readonly otherThreads: number
}

function storing(server: ServerProcess): Storing {
  const { all, mainThread } = server.processorTime()
  return { stored: storedBy(server), otherThreads: all - mainThread }
}

function describeStoring(before: Storing, after: Storing, sent: number): string {
  if (before.stored === undefined || after.stored === undefined) return 'nothing to store'
  const stored = after.stored - before.stored
  const each = ((after.otherThreads - before.otherThreads) / stored).toFixed(0)
  return `${stored} of ${sent} stored, ${each} µs of other threads for each`
}

/** How many profiles a server has stored since it was made, those that were evicted again included. */
function storedBy(server: ServerProcess): number | undefined {
  try {
    const database = new DatabaseSync(join(server.directory, 'bench.db'), { readOnly: true })
    try {
      return Number(database.prepare('SELECT max(seq) AS seq FROM profile').get()?.['seq'] ?? 0)
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}
