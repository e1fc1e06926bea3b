// The bars of the lock: `npm run bench:lock [-- --only=reach|closed] [--tries=50]`. Reach: from the write of a lock until the last of eight processes
// sends its 503, on SQLite and on a cluster of Redis. Closed: requests per second that one process turns away. Exits with 1 where one is missed.

import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as seconds } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { LockState } from '../../src/profiles/lock.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { startRedisCluster } from '../../test/support/redis-cluster.ts'
import type { Contestant } from '../http/contestants.ts'
import { markdownTable, median } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { wrk } from '../http/wrk.ts'

const { values: flags } = parseArgs({
  options: { only: { type: 'string', default: '' }, tries: { type: 'string', default: '50' } },
})
const tries = Number(flags.tries)
const processes = 8
const maxReachMs = 1000
const leastPerSecond = 20_000

const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-lock-'))
try {
  const rows: string[][] = []
  if (flags.only !== 'closed') {
    rows.push(await reach('SQLite', `sqlite:${join(directory, 'reach.db')}`))
    const servers = await startRedisCluster()
    try {
      rows.push(await reach('Redis', servers.address))
    } finally {
      await servers.stop()
    }
  }
  if (flags.only !== 'reach')
    rows.push(await closed('nothing excepted', {}), await closed('exceptions of each kind', { EXCEPT: '1' }))
  console.log(markdownTable(['bar', 'asked', 'seen', 'met', 'load of the machine'], rows))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function contestant(store: string, env: Readonly<Record<string, string>> = {}): Contestant {
  const file = join(import.meta.dirname, 'server.ts')
  return { name: 'fanlight', file, args: [], env: { APP_ENV: 'prod', APP_STORE: store, ...env } }
}

function stateOf(value: number): LockState {
  return { value, reason: 'bench', retryAfterSeconds: null, changedAt: new Date().toISOString() }
}

function row(what: string, asked: string, seen: string, isMet: boolean): string[] {
  if (!isMet) process.exitCode = 1
  return [what, asked, seen, isMet ? 'yes' : 'NO', loadavg()[0]?.toFixed(1) ?? '']
}

/** Closes and opens; each change counts as a try. */
async function reach(name: string, store: string): Promise<string[]> {
  const engine = await openEngine(store)
  const cores = availableParallelism()
  const fleet = await Promise.all(
    Array.from({ length: processes }, (_, index) => ServerProcess.start(contestant(store), index % cores)),
  )
  const taken: number[] = []
  try {
    for (let turn = 1; turn <= tries; turn += 1) {
      const isClosed = turn % 2 === 1
      const startedMs = performance.now()
      await engine.lock.write(stateOf(isClosed ? 1 : 0))
      await Promise.all(fleet.map(({ url }) => answers(url, isClosed ? 503 : 200)))
      taken.push(performance.now() - startedMs)
      // The next change meets the polls at another moment.
      await seconds(Math.random() * 500)
    }
  } finally {
    await Promise.all(fleet.map((server) => server.stop()))
    await engine.close()
  }
  const inTime = taken.filter((ms) => ms <= maxReachMs).length
  const seen = `${inTime} of ${tries} tries; last process p50 ${median(taken).toFixed(0)}, slowest ${Math.max(...taken).toFixed(0)} ms after the write began`
  return row(`a lock reaches ${processes} processes, ${name}`, `1 s, ${tries} of ${tries}`, seen, inTime === tries)
}

async function answers(url: string, status: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/api/status`)
    await response.arrayBuffer()
    if (response.status === status) return
    await seconds(10)
  }
}

async function closed(name: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const store = `sqlite:${join(directory, `closed-${name.length}.db`)}`
  const engine = await openEngine(store)
  await engine.lock.write(stateOf(1))
  const server = await ServerProcess.start(contestant(store, env), 0)
  try {
    const request = { name: 'closed', method: 'GET', path: '/api/status', status: 503, holds: '' }
    await answers(server.url, 503)
    await wrk(server.url, request, { core: 1, connections: 64, seconds: 3 })
    const rounds: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const before = server.processorTime()
      const { requests, perSecond } = await wrk(server.url, request, { core: 1, connections: 64, seconds: 2 })
      const us = server.processorTime().mainThread - before.mainThread
      rounds.push(requests === 0 ? 0 : us / requests)
      console.error(
        `${name}: ${perSecond.toFixed(0)} requests a second on the clock, ${(us / requests).toFixed(1)} us each`,
      )
    }
    const us = median(rounds)
    const seen = `${Math.round(1_000_000 / us).toLocaleString('en')} a second of processor time (${us.toFixed(1)} µs each)`
    return row(
      `a closed process, ${name}`,
      `${leastPerSecond.toLocaleString('en')} a second`,
      seen,
      1_000_000 / us >= leastPerSecond,
    )
  } finally {
    await server.stop()
    await engine.close()
  }
}
