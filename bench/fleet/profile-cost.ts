// What a recorded request costs an application with SQLite and with Redis: main thread, the store's thread, memory.

import { join } from 'node:path'
import type { RecorderStatus } from '../../src/profiles/sampling/recorder-status.ts'
import { startRedisCluster } from '../../test/support/redis-cluster.ts'
import { runFile } from '../../test/support/running-process.ts'
import { makePlace } from '../../scripts/faults/place.ts'
import { median } from '../http/figures.ts'
import { sendPaced } from '../recording/paced.ts'
import { processorTimeOf, residentMegabytes, type Bar } from './bar.ts'

const pairs = 3
const pace = { perSecond: 150, connections: 8, sleeps: true, accept: 'text/html' }

interface Cost {
  /** Processor of the main thread for a recorded request, in microseconds: all of it, and what polls take meanwhile. */
  readonly mainUs: number
  readonly threadUs: number
  readonly megabytes: number
}

/** Pairs of runs, one with each store. */
export async function profileCost(): Promise<readonly Bar[]> {
  using place = makePlace()
  const servers = await startRedisCluster()
  const sqlite: Cost[] = []
  const redis: Cost[] = []
  try {
    for (let pair = 0; pair < pairs; pair += 1) {
      sqlite.push(await costWith(`sqlite:${join(place.path, `${pair}.db`)}`))
      redis.push(await costWith(servers.address))
    }
  } finally {
    await servers.stop()
  }
  const both = (pick: (cost: Cost) => number): readonly [number, number] => [
    median(sqlite.map(pick)),
    median(redis.map(pick)),
  ]
  const [mainSqlite, mainRedis] = both(({ mainUs }) => mainUs)
  const [threadSqlite, threadRedis] = both(({ threadUs }) => threadUs)
  const [memorySqlite, memoryRedis] = both(({ megabytes }) => megabytes)
  return [
    {
      what: 'main thread for a recorded request, all of it',
      asked: 'SQLite + 20 %',
      seen: `${mainRedis.toFixed(0)} µs, SQLite ${mainSqlite.toFixed(0)} µs`,
      isMet: mainRedis <= mainSqlite * 1.2,
    },
    {
      what: "store's thread per profile",
      asked: '1.8 times SQLite',
      seen: `${threadRedis.toFixed(0)} µs, SQLite ${threadSqlite.toFixed(0)} µs (${(threadRedis / threadSqlite).toFixed(2)} times)`,
      isMet: threadRedis <= threadSqlite * 1.8,
    },
    {
      what: 'memory of the process',
      asked: 'SQLite + 45 MB',
      seen: `${memoryRedis.toFixed(0)} MB, SQLite ${memorySqlite.toFixed(0)} MB`,
      isMet: memoryRedis <= memorySqlite + 45,
    },
  ]
}

async function costWith(store: string): Promise<Cost> {
  await using running = await runFile('app/main.ts', { APP_STORE: store })
  const pid = running.child.pid ?? 0
  // Code of both threads is optimized before it counts.
  await sendPaced(running.url, '/products', { ...pace, seconds: 6 })
  const before = processorTimeOf(pid)
  const written = await writtenBy(running.url)
  await sendPaced(running.url, '/products', { ...pace, seconds: 10 })
  const after = processorTimeOf(pid)
  const ended = await writtenBy(running.url)
  const profiles = ended - written
  return {
    mainUs: (after.mainThread - before.mainThread) / profiles,
    threadUs: (after.storeThread - before.storeThread) / profiles,
    megabytes: residentMegabytes(pid),
  }
}

/** Profiles written so far. */
async function writtenBy(url: string): Promise<number> {
  const response = await fetch(`${url}/_profiler/status.json`)
  const { queue } = (await response.json()) as RecorderStatus
  return queue.written
}
