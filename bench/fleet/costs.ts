// What the servers pay, measured: for a profile in batches of several sizes, and for a process that does nothing. `simulate.ts`
// calculates with it what many machines would cost; `costs.json` has the last figures.

import { writeFileSync } from 'node:fs'
import { openEngine } from '../../src/app/open-engine.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { makePageProfile } from '../../test/support/profiles.ts'
import { createToken } from '../../src/profiles/recorder.ts'
import { startRedisCluster, type RedisServers } from '../../test/support/redis-cluster.ts'
import { runFile } from '../../test/support/running-process.ts'
import { seconds } from '../../scripts/faults/place.ts'
import { infoOf, processorTimeOf, type Bar } from './bar.ts'

/** What a page profile of 12 KB of JSON costs in batches of so many. */
export interface BatchCost {
  readonly batch: number
  /** Processor of its primary, and of its replica, in microseconds for each profile. */
  readonly primaryUs: number
  readonly replicaUs: number
  /** Bytes for each profile: to the primary, and from there to its replica. */
  readonly inBytes: number
  readonly replicationBytes: number
  /** Memory of the primary for each profile. */
  readonly storedBytes: number
}

/** Input of the simulation. */
export interface FleetCosts {
  readonly measuredOn: string
  readonly batches: readonly BatchCost[]
  /** Of one application that nobody asks for anything: for each second, and its share of the servers for good. */
  readonly idle: {
    /** Processor of all primaries, and of the busiest of three, in microseconds a second. */
    readonly primariesUs: number
    readonly busiestUs: number
    readonly commands: number
    readonly bytes: number
    /** Connections on the primary that has most of them. */
    readonly connections: number
    readonly connectionBytes: number
  }
}

const batches = [
  { batch: 1, count: 2000 },
  { batch: 10, count: 6000 },
  { batch: 64, count: 12_800 },
]
const idleProcesses = 8
const idleSeconds = 15

/** Measures, and keeps the figures in `costs.json`. */
export async function measureCosts(): Promise<readonly Bar[]> {
  const measured: BatchCost[] = []
  for (const { batch, count } of batches) measured.push(await batchCost(batch, count))
  const idle = await idleCost()
  const costs: FleetCosts = { measuredOn: new Date().toISOString().slice(0, 16), batches: measured, idle }
  writeFileSync(new URL('costs.json', import.meta.url), `${JSON.stringify(costs, null, 2)}\n`)
  return [
    ...measured.map(({ batch, primaryUs, replicaUs, inBytes, replicationBytes, storedBytes }) => ({
      what: `servers, a page profile in batches of ${batch}`,
      asked: '',
      seen: `primary ${primaryUs.toFixed(0)} µs, replica ${replicaUs.toFixed(0)} µs; ${inBytes.toFixed(0)} B in, ${replicationBytes.toFixed(0)} B to the replica; ${storedBytes.toFixed(0)} B of memory`,
      isMet: null,
    })),
    {
      what: 'servers, an idle application',
      asked: '',
      seen: `${idle.primariesUs.toFixed(0)} µs a second on three primaries (${idle.busiestUs.toFixed(0)} on the busiest), ${idle.commands.toFixed(1)} commands, ${idle.bytes.toFixed(0)} B; ${idle.connections.toFixed(1)} connections on the busiest primary, ${(idle.connectionBytes / 1024).toFixed(0)} KB each`,
      isMet: null,
    },
  ]
}

async function batchCost(batch: number, count: number): Promise<BatchCost> {
  const servers = await startRedisCluster()
  const [primaries, replicas] = [servers.nodes.slice(0, 3), servers.nodes.slice(3)]
  const engine = await openEngine(servers.address, { maxProfiles: 100_000, maxBytes: 2 ** 40 })
  const { profiles } = engine
  const templates = Array.from({ length: 200 }, (_, index) => makePageProfile(index))
  const write = async (total: number): Promise<void> => {
    for (let written = 0; written < total; written += batch) {
      const ending = profiles.newTokenEnding?.()
      const profilesOfBatch: Profile[] = []
      for (const template of templates.slice(written % 100, (written % 100) + batch)) {
        profilesOfBatch.push({ ...template, token: createToken(ending), time: Date.now() })
      }
      await profiles.write(profilesOfBatch)
    }
  }
  try {
    await write(count / 10)
    const before = await figuresOf(primaries, replicas)
    await write(count)
    // What is on its way to the replicas counts, too.
    await seconds(0.5)
    const after = await figuresOf(primaries, replicas)
    const each = (pick: (figures: typeof after) => number): number => (pick(after) - pick(before)) / count
    return {
      batch,
      primaryUs: each((one) => one.primaryUs),
      replicaUs: each((one) => one.replicaUs),
      inBytes: each((one) => one.inBytes),
      replicationBytes: each((one) => one.replicationBytes),
      storedBytes: each((one) => one.storedBytes),
    }
  } finally {
    await engine.close()
    await servers.stop()
  }
}

async function figuresOf(primaries: RedisServers['nodes'], replicas: RedisServers['nodes']) {
  return {
    primaryUs: sumOfTimes(primaries),
    replicaUs: sumOfTimes(replicas),
    inBytes: await infoOf(primaries, 'stats', 'total_net_input_bytes'),
    replicationBytes: await infoOf(primaries, 'stats', 'total_net_repl_output_bytes'),
    storedBytes: await infoOf(primaries, 'memory', 'used_memory_dataset'),
  }
}

async function idleCost(): Promise<FleetCosts['idle']> {
  const servers = await startRedisCluster()
  const primaries = servers.nodes.slice(0, 3)
  const alone = await idleFigures(primaries)
  const fleet = await Promise.all(
    Array.from({ length: idleProcesses }, () => runFile('app/main.ts', { APP_STORE: servers.address })),
  )
  try {
    // One page each, so that everything that is opened late is there.
    await Promise.all(fleet.map(async ({ url }) => (await fetch(`${url}/products`)).arrayBuffer()))
    await seconds(3)
    const busy = await idleFigures(primaries)
    const each = (pick: (figures: typeof busy) => number): number => (pick(busy) - pick(alone)) / idleProcesses
    const most = (pick: (values: typeof busy) => readonly number[]): number => {
      const before = pick(alone)
      return Math.max(...pick(busy).map((value, index) => value - (before[index] ?? 0))) / idleProcesses
    }
    return {
      primariesUs: each((one) => one.us.reduce((sum, us) => sum + us, 0)),
      busiestUs: most((one) => one.us),
      commands: each((one) => one.commands),
      bytes: each((one) => one.bytes),
      connections: most((one) => one.connections),
      connectionBytes: busy.connectionBytes,
    }
  } finally {
    await Promise.all(fleet.map((running) => running.end()))
    await servers.stop()
  }
}

/** Of a second, while nothing is written. */
async function idleFigures(primaries: RedisServers['nodes']) {
  const read = async () => ({
    us: primaries.map(({ pid }) => processorTimeOf(pid).all),
    commands: await infoOf(primaries, 'stats', 'total_commands_processed'),
    bytes:
      (await infoOf(primaries, 'stats', 'total_net_input_bytes')) +
      (await infoOf(primaries, 'stats', 'total_net_output_bytes')),
  })
  const before = await read()
  await seconds(idleSeconds)
  const after = await read()
  const lists = await Promise.all(primaries.map((node) => node.command('CLIENT', 'LIST', 'TYPE', 'normal')))
  const memory = [...lists.join('\n').matchAll(/tot-mem=(\d+)/g)].map(([, bytes]) => Number(bytes))
  return {
    us: after.us.map((us, index) => (us - (before.us[index] ?? 0)) / idleSeconds),
    commands: (after.commands - before.commands) / idleSeconds,
    bytes: (after.bytes - before.bytes) / idleSeconds,
    connections: lists.map((list) => list.split('\n').length),
    connectionBytes: memory.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, memory.length),
  }
}

function sumOfTimes(nodes: RedisServers['nodes']): number {
  return nodes.reduce((sum, { pid }) => sum + processorTimeOf(pid).all, 0)
}
