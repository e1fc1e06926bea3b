// Looks whether servers can hold a store in Redis: reached, of the right kind, with all rights, fast, with replicas and room. One key
// for each primary is written, and goes by itself.

import { performance } from 'node:perf_hooks'
import { formatBytes, formatDuration } from '../../framework/html/components.ts'
import { isEngineError } from '../engine-error.ts'
import type { ProfileBounds } from '../engine-options.ts'
import type { CheckedPlace, StoreFinding } from '../store-finding.ts'
import { loadSockets } from './ioredis.ts'
import { slotCount, slotOf, makePartitions } from './partitions.ts'
import type { RedisAddress } from './redis-address.ts'
import { RedisClient } from './redis-client.ts'
import type { RedisCommand, RedisReplies } from './redis-command.ts'
import { accepted, infoOf, timeOf, failureOf, RedisFailure, withAdvice } from './redis-command.ts'
import { unreachable } from './redis-connection.ts'
import { askServer, judgeServer, knownPartitions, partitionsFor, type RedisServer } from './store-format.ts'

/** A part that does not respond within half a second is skipped; a round trip is a good part of that. */
const slowMs = 100

/** Questions to a node, of which the middle one counts. */
const pings = 5

/** After so many milliseconds what was written goes by itself. */
const goneMs = 5000

/** Data of a store are at most so many times what is counted. */
const mostOverhead = 1.5

/** Clocks may be apart by so many milliseconds. */
const mostSkewMs = 1000

/** How long a primary is given to hand a write to a replica. */
const replicaMs = 500

/** How it is said that nobody responds at an address. */
const away = /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|no answer|does not answer/

/** Never rejects for what is wrong with the servers: that is a finding. */
export async function checkRedis(address: RedisAddress, bounds: ProfileBounds): Promise<CheckedPlace> {
  let client: RedisClient
  try {
    const openSocket = await loadSockets(address)
    client = await RedisClient.open({ openSocket, hosts: address.hosts, onLost: () => undefined })
  } catch (thrown) {
    const says = isEngineError(thrown) ? thrown.message.replace(/\.$/, '') : unreachable(address, thrown)
    const advice = away.test(says)
      ? { advice: 'start the server, or correct the host and the port in the address' }
      : {}
    return { findings: [{ name: 'connection', state: 'bad', says, ...advice }], mayBeOpened: false }
  }
  try {
    return await new RedisCheck(client, address.name, bounds).run()
  } finally {
    client.close()
  }
}

type Finding = Omit<StoreFinding, 'name'>

class RedisCheck {
  readonly #client: RedisClient
  readonly #name: string
  readonly #bounds: ProfileBounds

  constructor(client: RedisClient, name: string, bounds: ProfileBounds) {
    this.#client = client
    this.#name = name
    this.#bounds = bounds
  }

  async run(): Promise<CheckedPlace> {
    const findings: StoreFinding[] = [{ name: 'connection', ...this.#connection() }]
    const asked = await Promise.all(this.#client.primaries().map((node) => this.#ask(node)))
    const servers = asked.filter((one): one is RedisServer => 'version' in one)
    findings.push(...asked.filter((one): one is StoreFinding => 'state' in one))
    const judged = servers.map((server) => judgeServer(server))
    for (const name of ['version', 'policy', 'role', 'replicas']) {
      findings.push(...summary(judged.flat().filter((finding) => finding.name === name)))
    }
    const coverage = await Promise.all(servers.map(({ node }) => attempt('coverage', () => this.#coverage(node))))
    findings.push(...summary(coverage.filter(({ says }) => says !== '')))
    for (const [name, look] of [
      ['rights', ({ node }) => this.#rights(node)],
      ['latency', (server) => this.#latency(server)],
      ['memory', ({ node }) => this.#memory(node)],
    ] as readonly (readonly [string, (server: RedisServer) => Promise<Finding>])[]) {
      findings.push(...summary(await Promise.all(servers.map((server) => attempt(name, () => look(server))))))
    }
    findings.push(await attempt('clocks', () => this.#clocks(servers)))
    let hasStore = false
    const partitions = await attempt('partitions', async () => {
      const known = await knownPartitions(this.#name, this.#client)
      hasStore = known !== null
      const says = this.#spread(known ?? partitionsFor(this.#bounds.maxCount))
      return { state: 'good', says: hasStore ? says : `no store yet; the first start makes ${says}` }
    })
    findings.push(partitions)
    return { findings, mayBeOpened: hasStore && findings.every(({ state }) => state !== 'bad') }
  }

  #connection(): Finding {
    const nodes = this.#client.primaries()
    if (!this.#client.isCluster) return { state: 'good', says: `a single server, ${nodes.join(', ')}` }
    const slots = Array.from({ length: slotCount }, (_, slot) => slot)
    const lost = slots.filter((slot) => this.#client.primaryOf(slot) === undefined).length
    const says = `a cluster of ${nodes.length} primaries, ${nodes.join(', ')}`
    if (lost === 0) return { state: 'good', says }
    const advice = 'start the nodes that are down, or let redis-cli --cluster fix hand the slots to others'
    return { state: 'bad', says: `${says}; ${lost} of ${slotCount} slots are served by none`, advice }
  }

  async #ask(node: string): Promise<RedisServer | StoreFinding> {
    try {
      return await askServer(this.#client, node)
    } catch (thrown) {
      return { name: 'node', ...failed(thrown), advice: 'start it, or promote its replica' }
    }
  }

  /** Says nothing if there is no cluster, or the user may not ask. */
  async #coverage(node: string): Promise<Finding> {
    if (!this.#client.isCluster) return { state: 'good', says: '' }
    const setting = 'cluster-require-full-coverage'
    const [reply = null] = await this.#client.ask(node, [['config', 'get', setting]])
    if (!Array.isArray(reply)) return { state: 'good', says: '' }
    if (String(reply[1]) === 'no') return { state: 'good', says: 'a node that is away stops no other' }
    const says = `${node} has ${setting} yes: while one primary is away, the others refuse writes, too`
    return { state: 'warning', says, advice: 'set it to no' }
  }

  /** Servers of a cluster have their users each for itself. */
  async #rights(node: string): Promise<Finding> {
    const key = this.#keyOf(node)
    const [hash, set, rows] = [`${key}:hash`, `${key}:set`, `${key}:rows`]
    const commands: readonly RedisCommand[] = [
      ['set', key, '1', 'px', goneMs],
      ['get', key],
      ['getrange', key, 0, 0],
      ['exists', key],
      ['eval', 'return 1', 1, key],
      ['evalsha', '0'.repeat(40), 1, key],
      ['asking'],
      ['wait', 0, 1],
      ['time'],
      ['hset', hash, 'field', 1],
      ['hsetnx', hash, 'field', 1],
      ['hincrby', hash, 'field', 1],
      ['hget', hash, 'field'],
      ['hmget', hash, 'field'],
      ['hgetall', hash],
      ['hdel', hash, 'field'],
      ['expire', hash, 5],
      ['zadd', set, 1, 'member'],
      ['zrangebyscore', set, 1, 1],
      ['zrem', set, 'member'],
      ['zremrangebyscore', set, 1, 1],
      ['xadd', rows, '1-0', 'field', 1],
      ['xrange', rows, '-', '+'],
      ['xrevrange', rows, '+', '-'],
      ['xdel', rows, '1-0'],
      ['xtrim', rows, 'maxlen', 0],
      ['unlink', key, hash, set, rows],
    ]
    const replies = await this.#client.ask(node, commands)
    const refusals = replies.filter(isRefusal)
    if (refusals.length === 0) return { state: 'good', says: 'every command that is needed is allowed' }
    const advice = 'allow them on every node, as examples/many-machines/users.acl does'
    if (refusals.some(({ message }) => /\bkeys?\b/.test(message))) {
      return { state: 'bad', says: `the user may not use the keys fanlight:* on ${node}`, advice }
    }
    const refused = commands.filter((_, index) => isRefusal(replies[index])).map(([name]) => name)
    return { state: 'bad', says: `the user may not use ${[...new Set(refused)].join(', ')} on ${node}`, advice }
  }

  async #latency({ node, replicas }: RedisServer): Promise<Finding> {
    const times: number[] = []
    for (let ping = 0; ping < pings; ping += 1) times.push((await this.#timed(node, [['time']])).ms)
    const ms = times.sort((one, other) => one - other)[Math.floor(pings / 2)] ?? 0
    const says = `${node} responds in ${formatDuration(ms)}`
    if (ms >= slowMs) return { state: 'warning', says, advice: 'run application and store nearer to each other' }
    // Without a replica it would wait in vain.
    if (replicas === 0) return { state: 'good', says }
    const commands: readonly RedisCommand[] = [
      ['set', this.#keyOf(node), 1, 'px', goneMs],
      ['wait', 1, replicaMs],
    ]
    const { ms: writeMs, replies } = await this.#timed(node, commands)
    if (Number(replies[1]) > 0) return { state: 'good', says: `${says}, with a replica in ${formatDuration(writeMs)}` }
    const late = `${says}, but no replica had a write within ${formatDuration(replicaMs)}`
    return {
      state: 'warning',
      says: late,
      advice: 'check the connection between them: what is not replicated is lost with its node',
    }
  }

  async #memory(node: string): Promise<Finding> {
    const info = infoOf(accepted(await this.#client.ask(node, [['info', 'memory']]))[0])
    const [used, most] = [Number(info('used_memory')), Number(info('maxmemory'))]
    const usedText = `${node} uses ${formatBytes(used)}`
    if (most === 0) return { state: 'good', says: `${usedText}, without a limit` }
    const says = `${usedText} of ${formatBytes(most)}`
    const share = (this.#bounds.maxBytes * mostOverhead) / this.#client.primaries().length
    if (most >= share) return { state: 'good', says }
    const advice = `set maxmemory to ${formatBytes(share)} or more, or lower APP_PROFILES_MEGABYTES`
    return { state: 'warning', says: `${says}; its part of the profiles may take ${formatBytes(share)}`, advice }
  }

  /** The order of profiles goes by the clocks of the servers. */
  async #clocks(servers: readonly RedisServer[]): Promise<Finding> {
    const offsets = await Promise.all(
      servers.map(async ({ node }) => {
        const before = Date.now()
        const { ms, replies } = await this.#timed(node, [['time']])
        return timeOf(accepted(replies)[0]) - (before + ms / 2)
      }),
    )
    const apart = Math.max(...offsets) - Math.min(...offsets)
    if (apart <= mostSkewMs) return { state: 'good', says: 'the servers agree on the time' }
    const says = `the clocks of the servers are ${formatDuration(apart)} apart, and lists go by them`
    return { state: 'warning', says, advice: 'set them by NTP' }
  }

  #spread(count: number): string {
    const partitions = makePartitions(count)
    const counts = this.#client
      .primaries()
      .map((node) => partitions.filter(({ slot }) => this.#client.primaryOf(slot) === node).length)
    return counts.length === 1 ? String(count) : `${count}; of them ${counts.join(', ')} on the primaries`
  }

  /** A key that this primary serves. */
  #keyOf(node: string): string {
    for (let number = 0; ; number += 1) {
      const key = `fanlight:{check${number}}`
      if (!this.#client.isCluster || this.#client.primaryOf(slotOf(key)) === node) return `${key}:${process.pid}`
    }
  }

  async #timed(node: string, commands: readonly RedisCommand[]): Promise<{ ms: number; replies: RedisReplies }> {
    const startedMs = performance.now()
    const replies = await this.#client.ask(node, commands)
    return { ms: performance.now() - startedMs, replies }
  }
}

/** What is wrong with some, else all in one. */
function summary(findings: readonly StoreFinding[]): readonly StoreFinding[] {
  const wrong = findings.filter(({ state }) => state !== 'good')
  const [first] = findings
  if (wrong.length > 0 || first === undefined) return wrong
  return [{ ...first, says: [...new Set(findings.map(({ says }) => says))].join('; ') }]
}

async function attempt(name: string, look: () => Promise<Finding>): Promise<StoreFinding> {
  return { name, ...(await look().catch(failed)) }
}

function failed(thrown: unknown): Finding {
  if (isEngineError(thrown)) return { state: 'bad', says: thrown.message.replace(/\.$/, '') }
  return { state: 'bad', says: withAdvice(failureOf(thrown)) }
}

function isRefusal(reply: unknown): reply is RedisFailure {
  return reply instanceof RedisFailure && reply.code === 'NOPERM'
}
