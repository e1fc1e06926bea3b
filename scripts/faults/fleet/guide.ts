// Fail-overs, partitions and a full server with the settings of the guide (F-R14): a node time-out of 5 s and a file of each write.
// Beside the profiles, the lock is written again and again, and must never go back behind what was acknowledged.

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Engine } from '../../../src/stores/engine.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { startFleetLoad, describeJudgement } from '../../../test/support/fleet-load.ts'
import { startRedisCluster, type RedisNode, type RedisServers } from '../../../test/support/redis-cluster.ts'
import { until } from '../../../test/support/until.ts'
import type { FaultResult } from '../fault.ts'
import { makePlace, quantile, seconds } from '../place.ts'
import { promotionOf } from './primaries.ts'

const lockKey = 'fanlight:{lock}'

const failOvers = 20
const apartSeconds = 7
const fullSeconds = 20
/** Until all have seen what happened, and held profiles are stored. */
const settleSeconds = 4

/** Settings of the guide that tests do without. */
const settings = readFileSync(join(import.meta.dirname, '../../../examples/many-machines/redis.conf'), 'utf8')
  .split('\n')
  .filter((line) => /^(?:append|maxmemory-policy|cluster-require)/.test(line))
const nodeTimeoutMs = 5000

/** How the links of a server are cut: named ports of its own and of others. */
interface Cut {
  of(node: RedisNode, ports: readonly number[]): void
}

interface Scenario {
  readonly title: string
  /** What happens, one thing after the other; each begins and ends with all servers well. Gives what was seen. */
  act(servers: RedisServers, cut: Cut, locks: LockLoad): Promise<string>
}

const kills: Scenario = {
  title: `${failOvers} × a primary is killed (\`kill -9\`), each as soon as a lock was acknowledged, and started again`,
  act: async (servers, _cut, locks) => {
    const promotedMs: number[] = []
    for (let round = 0; round < failOvers; round += 1) {
      // Every other one has the lock.
      const primary = round % 2 === 0 ? await servers.primaryOf(lockKey) : await otherPrimary(servers, round)
      await locks.next()
      const promoted = promotionOf(servers, primary)
      await primary.kill()
      promotedMs.push(await promoted)
      await seconds(settleSeconds)
      await primary.start()
      await wholeAgain(servers)
      await locks.check()
    }
    return `taken over after ${(quantile(promotedMs, 0.5) / 1000).toFixed(1)} s (median), ${(Math.max(...promotedMs) / 1000).toFixed(1)} s at most`
  },
}

const partitions: Scenario = {
  title: `4 × ${apartSeconds} s: the primary with the lock hangs; is apart from all other nodes, but not from clients; is so, but not from its replica; every primary hangs`,
  act: async (servers, cut, locks) => {
    const roles: string[] = []
    const apart = async (node: RedisNode, begin: () => void, end: () => void): Promise<void> => {
      await locks.next()
      begin()
      await seconds(apartSeconds)
      end()
      await seconds(settleSeconds)
      await wholeAgain(servers)
      await locks.check()
      roles.push((await node.role()) === 'master' ? 'still a primary' : 'a replica now')
    }
    const hung = await servers.primaryOf(lockKey)
    await apart(
      hung,
      () => hung.pause(),
      () => hung.resume(),
    )
    for (const isReplicaApart of [true, false]) {
      const alone = await servers.primaryOf(lockKey)
      const bus = await busPorts(servers)
      const replica = servers.nodes[(servers.nodes.indexOf(alone) + 3) % 6]
      await apart(
        alone,
        () => {
          cut.of(alone, [...bus.values()])
          if (isReplicaApart && replica !== undefined) cut.of(replica, [alone.ownPort])
        },
        () => {
          cut.of(alone, [])
          if (replica !== undefined) cut.of(replica, [])
        },
      )
    }
    const primaries = await primariesOf(servers)
    const [first = hung] = primaries
    await apart(
      first,
      () => primaries.forEach((node) => node.pause()),
      () => primaries.forEach((node) => node.resume()),
    )
    return `afterwards ${roles.join(', ')}`
  },
}

const full: Scenario = {
  title: `the primary with the lock is out of memory for ${fullSeconds} s`,
  act: async (servers, _cut, locks) => {
    const primary = await servers.primaryOf(lockKey)
    await locks.next()
    const used = /used_memory:(\d+)/.exec(await primary.command('INFO', 'memory'))?.[1] ?? '1'
    await primary.command('CONFIG', 'SET', 'maxmemory', used)
    await seconds(fullSeconds)
    await primary.command('CONFIG', 'SET', 'maxmemory', '0')
    await seconds(settleSeconds)
    await locks.check()
    return `it refused ${/errorstat_OOM:count=(\d+)/.exec(await primary.command('INFO', 'errorstats'))?.[1] ?? 0} commands`
  },
}

/** With the fault that each is. */
export const guideFaults: readonly (readonly [fault: string, run: () => Promise<FaultResult>])[] = [
  kills,
  partitions,
  full,
].map((scenario) => ['F-R14', () => resultOf(scenario)] as const)

async function resultOf({ title, act }: Scenario): Promise<FaultResult> {
  using place = makePlace()
  const row = { fault: 'F-R14', title, criterion: '0 acknowledged locks lost; 0 profiles lost that are not counted' }
  const library = join(place.path, 'bus-cut.so')
  const source = join(import.meta.dirname, 'bus-cut.c')
  try {
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  } catch {
    return { ...row, observed: 'not tried: there is no C compiler', isMet: null }
  }
  const fileOf = (index: number): string => join(place.path, `cut-${index}`)
  const write = (index: number, ports: readonly number[]): void => {
    const named = new Uint16Array(32)
    named.set(ports)
    // In place: the server has it in its memory.
    writeFileSync(fileOf(index), named, { flag: 'r+' })
  }
  for (let index = 0; index < 6; index += 1) writeFileSync(fileOf(index), new Uint16Array(32))
  const servers = await startRedisCluster({
    nodeTimeoutMs,
    config: settings,
    env: (index) => ({ LD_PRELOAD: library, CUT_FILE: fileOf(index) }),
  })
  try {
    const task = { store: servers.address, processes: 4, perSecond: 30, maxProfiles: 1_000_000, maxBytes: 2 ** 36 }
    await using load = await startFleetLoad({ ...task, kind: 'page' })
    await using locks = await LockLoad.start(servers.address)
    await seconds(settleSeconds)
    load.mark()
    const said = await act(servers, { of: (node, ports) => write(servers.nodes.indexOf(node), ports) }, locks)
    await seconds(settleSeconds)
    const judgement = await load.judge()
    const { acknowledged, lost, dropped, held } = judgement
    return {
      ...row,
      observed: `locks: ${locks.figures}; profiles: ${describeJudgement(judgement)}; ${said}`,
      isMet: acknowledged > 0 && held === 0 && lost.length <= dropped && locks.lost === 0,
    }
  } finally {
    await servers.stop()
  }
}

/** One process writes the lock all the time, as `lock set` does; another one reads what was acknowledged. */
class LockLoad implements AsyncDisposable {
  readonly #writer: Engine
  readonly #reader: Engine
  #isStopped = false
  #value = 0
  /** The greatest value that was acknowledged. */
  #last = 0
  #acknowledged = 0
  #failed = 0
  #longestMs = 0
  lost = 0

  static async start(address: string): Promise<LockLoad> {
    return new LockLoad(await openEngine(address), await openEngine(address))
  }

  private constructor(writer: Engine, reader: Engine) {
    this.#writer = writer
    this.#reader = reader
    void this.#run()
  }

  /** Ends with the next acknowledged write. */
  async next(): Promise<void> {
    const before = this.#acknowledged
    await until(() => this.#acknowledged > before)
  }

  /** Reads the lock through another engine: what was acknowledged before must be there. */
  async check(): Promise<void> {
    const least = this.#last
    let value = -1
    await until(
      async () =>
        (value = await this.#reader.lock.read().then(
          (state) => state.value,
          () => -1,
        )) >= 0,
    )
    if (value < least) this.lost += 1
  }

  get figures(): string {
    return `${this.#acknowledged} acknowledged, ${this.lost} lost, ${this.#failed} failed and said so, ${(this.#longestMs / 1000).toFixed(1)} s at most`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    await Promise.all([this.#writer.close(), this.#reader.close()])
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#value += 1
      const value = this.#value
      const startedMs = performance.now()
      try {
        const changedAt = new Date().toISOString()
        await this.#writer.lock.write({ value, reason: 'a fault', retryAfterSeconds: null, changedAt })
        this.#last = value
        this.#acknowledged += 1
      } catch {
        this.#failed += 1
      }
      this.#longestMs = Math.max(this.#longestMs, performance.now() - startedMs)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** A server that loads its file refuses commands. */
async function wholeAgain(servers: RedisServers): Promise<void> {
  const isWhole = (): Promise<boolean> =>
    servers.untilWhole().then(
      () => true,
      () => false,
    )
  await until(isWhole)
}

async function primariesOf({ nodes }: RedisServers): Promise<readonly RedisNode[]> {
  const roles = await Promise.all(nodes.map((node) => node.role()))
  return nodes.filter((_, index) => roles[index] === 'master')
}

async function otherPrimary(servers: RedisServers, round: number): Promise<RedisNode> {
  const own = await servers.primaryOf(lockKey)
  const others = (await primariesOf(servers)).filter((node) => node !== own)
  return others[round % others.length] ?? own
}

/** The ports over which the nodes talk to each other. */
async function busPorts({ nodes }: RedisServers): Promise<ReadonlyMap<string, number>> {
  const text = (await nodes[0]?.command('CLUSTER', 'NODES')) ?? ''
  return new Map([...text.matchAll(/^(\w+) \S+?@(\d+)/gm)].map(([, id = '', port]) => [id, Number(port)]))
}
