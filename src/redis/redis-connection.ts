// The way to a store in Redis: opened in the background, and again and again until it is there; the same after all nodes were
// away. Threads have one each.

import type { FleetOutage } from '../profiles/profile-store.ts'
import { EngineError, isEngineError } from '../stores/engine-error.ts'
import {
  loadSockets,
  accepted,
  failureOf,
  RedisFailure,
  toEngineError,
  untilReplaced,
  withAdvice,
  type RedisCommand,
  type RedisReply,
  infoOf,
  pairsOf,
} from './redis-command.ts'
import type { SendOptions } from './redis-command.ts'
import { slotOf } from './partitions.ts'
import type { RedisAddress } from './redis-address.ts'
import { RedisClient } from './redis-client.ts'

/** Milliseconds between two attempts: from this to twice as much, so that many processes do not come at once. */
const retryMs = 400

/** How a server behaves that speaks TLS with somebody who does not, or the other way round. */
const silent = /ETIMEDOUT|ECONNRESET|EPROTO|Connection is closed/
const wantsTls = ', as a port with TLS does: that would be rediss://'
const wantsNoTls = ', as a port without TLS does: that would be redis://'

interface RedisConnectionOptions {
  /** Decides the partitions of a store that is new. */
  readonly maxProfiles: number
  /** Whether questions wait for a node that is being replaced. Default: no. */
  readonly isPatient?: boolean
  /** Gets a line when the store goes away, when it is back, and for what is doubtful about its servers. */
  readonly onWarning: (line: string) => void
}

/** A store that can be used now. */
interface OpenRedis {
  readonly client: RedisClient
  readonly partitions: number
}

/** What the primaries say that respond: a store of which one is away is open. Rejects if none responds, or one refuses. */
async function askThose(client: RedisClient): Promise<readonly RedisServer[]> {
  const asked = await Promise.allSettled(client.primaries().map((node) => askServer(client, node)))
  const failures = asked.flatMap((one) => (one.status === 'rejected' ? [failureOf(one.reason)] : []))
  const servers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failure = failures.find(({ code }) => !isAway.has(code)) ?? (servers.length === 0 ? failures[0] : undefined)
  if (failure !== undefined) throw failure
  return servers
}

/** Failures of a node that is away. Others are of one that refuses. */
const isAway: ReadonlySet<string> = new Set(['DOWN', 'TIMEOUT', 'CLOSED'])

export class RedisConnection {
  readonly name: string
  readonly #address: RedisAddress
  readonly #options: RedisConnectionOptions
  readonly #firstOutcome = Promise.withResolvers<void>()
  readonly #warned = new Set<string>()
  readonly #saidReasons = new Set<string>()
  #wasOpen = false
  #partitions = maxPartitions
  #open: OpenRedis | undefined
  #problem: FleetOutage | null = null
  #fault: EngineError | undefined
  #timer: NodeJS.Timeout | undefined
  #attempt: Promise<void> | undefined
  #isClosed = false
  /** Whether a node has told who serves what, at the last attempt: then one that is away may be replaced. */
  #isThere = false

  constructor(address: RedisAddress, options: RedisConnectionOptions) {
    this.name = address.name
    this.#address = address
    this.#options = options
    this.#try()
  }

  /** When it is open, or the first attempt has failed. Never rejects. */
  get opened(): Promise<void> {
    return this.#firstOutcome.promise
  }

  /** Throws an `EngineError` that says why it cannot be used now: `ERR_STORE_UNAVAILABLE`, `ERR_STORE_VERSION`, … */
  use(): OpenRedis {
    if (this.#isClosed) throw new EngineError('ERR_STORE_CLOSED', `The store "${this.name}" is closed.`)
    if (this.#open !== undefined) return this.#open
    throw this.#fault ?? new EngineError('ERR_STORE_UNAVAILABLE', `The store "${this.name}" is being opened.`)
  }

  /** Replies to commands about keys that lie in the slot of `key`. Rejects with an `EngineError`, also where one of the commands is refused. */
  async ask(key: string, commands: readonly RedisCommand[], options?: SendOptions): Promise<readonly RedisReply[]> {
    const { isPatient = false } = this.#options
    const mayPass = (thrown: unknown): boolean =>
      isPatient && this.#isThere && toEngineError(thrown, this.name).code === 'ERR_STORE_UNAVAILABLE'
    try {
      const attempt = async () => this.use().client.send(slotOf(key), commands, options)
      return accepted(await untilReplaced(attempt, mayPass))
    } catch (thrown) {
      throw toEngineError(thrown, this.name)
    }
  }

  /** How many partitions the store has; the most that it may have before it was open. */
  get partitions(): number {
    return this.#partitions
  }

  /** Since when and why it cannot be used; `null` while it can. */
  get problem(): FleetOutage | null {
    return this.#problem
  }

  /** Ends it; open requests reject. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#open?.client.close()
    await this.#attempt
  }

  #try(): void {
    this.#attempt = this.#openOnce()
      .then(
        (open) => this.#begin(open),
        (thrown: unknown) => this.#fail(thrown),
      )
      .finally(() => {
        this.#attempt = undefined
        this.#firstOutcome.resolve()
      })
  }

  async #openOnce(): Promise<OpenRedis> {
    const opening = RedisClient.open({
      openSocket: await loadSockets(this.#address),
      hosts: this.#address.hosts,
      // While it is being opened, opening itself fails.
      onLost: (failure) => {
        if (this.#open !== undefined) this.#fail(failure)
      },
    })
    this.#isThere = await opening.then(
      () => true,
      () => false,
    )
    const client = await opening
    try {
      const servers = await askThose(client)
      const doubts = servers.flatMap((server) => checkServer(this.name, server))
      const partitions = await openFormat(this.name, client, this.#options.maxProfiles)
      for (const doubt of doubts) this.#warnOnce(`The store "${this.name}": ${doubt}.`)
      return { client, partitions }
    } catch (thrown) {
      client.close()
      throw thrown
    }
  }

  #begin(open: OpenRedis): void {
    if (this.#isClosed) return open.client.close()
    if (open.client.isOver) return this.#fail(new RedisFailure('DOWN', 'no node responds'))
    this.#open = open
    this.#partitions = open.partitions
    if (this.#problem !== null) this.#options.onWarning(`The store "${this.name}" can be used again.`)
    this.#problem = null
    this.#fault = undefined
    this.#saidReasons.clear()
    this.#wasOpen = true
  }

  #fail(thrown: unknown): void {
    if (this.#isClosed) return
    const fault = isEngineError(thrown) ? thrown : this.#unavailable(thrown)
    this.#open = undefined
    // One line for each reason of an outage, however often it is met.
    if (!this.#saidReasons.has(fault.message)) this.#options.onWarning(fault.message)
    this.#saidReasons.add(fault.message)
    this.#fault = fault
    this.#problem = { since: this.#problem?.since ?? Date.now(), reason: fault.message }
    this.#timer = setTimeout(() => this.#try(), retryMs * (1 + Math.random())).unref()
  }

  #unavailable(thrown: unknown): EngineError {
    const reason = this.#wasOpen ? withAdvice(failureOf(thrown)) : unreachable(this.#address, thrown)
    return new EngineError('ERR_STORE_UNAVAILABLE', `The store "${this.name}" is not reachable: ${reason}.`)
  }

  #warnOnce(line: string): void {
    if (this.#warned.has(line)) return
    this.#warned.add(line)
    this.#options.onWarning(line)
  }
}

/** Why no node could be reached, and what to do where that is known; without a full stop. */
function unreachable(address: RedisAddress, thrown: unknown): string {
  const reason = withAdvice(failureOf(thrown))
  if (!silent.test(reason)) return reason
  return reason + (address.tls === null ? wantsTls : wantsNoTls)
}

/** How keys and values are written by this version. */
const ownFormat = 1

/** The key of the record: a hash of `format` and `partitions`. */
const formatKey = 'fanlight:{format}'

/** Profiles for each of which one more partition is made. */
const profilesPerPartition = 1000
const maxPartitions = 36

/** What the servers of a store say of themselves. */
interface RedisServer {
  /** `127.0.0.1:7001` */
  readonly node: string
  readonly version: string
  /** What happens when its memory is full; `''` if it does not tell. */
  readonly policy: string
  readonly isReplica: boolean
  readonly replicas: number
}

/** How many partitions a store of so many profiles gets when it is made. */
export function partitionsFor(maxProfiles: number): number {
  return Math.min(maxPartitions, Math.max(1, Math.ceil(maxProfiles / profilesPerPartition)))
}

async function askServer(client: RedisClient, node: string): Promise<RedisServer> {
  const [reply] = accepted(await client.ask(node, [['info']]))
  const fact = infoOf(reply)
  return {
    node,
    version: fact('redis_version'),
    policy: fact('maxmemory_policy'),
    isReplica: fact('role') === 'slave',
    replicas: Number(fact('connected_slaves')),
  }
}

/** What is doubtful about a server, a line each. Throws an `EngineError` (`ERR_STORE_OPEN`) for one that cannot hold a store. */
function checkServer(name: string, server: RedisServer): readonly string[] {
  const { node, version, policy, isReplica, replicas } = server
  const policyText = `${node} has the maxmemory-policy ${policy}`
  const faults = [
    Number.parseInt(version, 10) < 7 && `${node} is Redis ${version}; install version 7 or later`,
    policy.startsWith('allkeys-') && `${policyText}, which removes parts of profiles; set it to noeviction`,
    isReplica && `${node} is a read-only replica; name its primary, or all nodes of the cluster`,
  ]
  const fault = faults.find((one) => one !== false)
  if (fault !== undefined) throw new EngineError('ERR_STORE_OPEN', `The store "${name}" cannot be used: ${fault}.`)
  return [
    ...(policy.startsWith('volatile-') ? [`${policyText}; set it to noeviction`] : []),
    ...(replicas === 0 ? [`${node} has no replica; give it one, or what it holds goes with it`] : []),
  ]
}

/** The number of partitions of the store, which is made if it is new. Throws an `EngineError` (`ERR_STORE_VERSION`) for a newer format. */
async function openFormat(name: string, client: RedisClient, maxProfiles: number): Promise<number> {
  const known = await readFormat(client)
  return partitionsOf(name, known.format === undefined ? await makeFormat(client, partitionsFor(maxProfiles)) : known)
}

function partitionsOf(name: string, record: FormatRecord): number {
  const format = Number(record.format)
  const partitions = Number(record.partitions)
  if (format > ownFormat) {
    throw new EngineError(
      'ERR_STORE_VERSION',
      `The store "${name}" was written by a newer version: its format is ${format}, this version knows ${ownFormat}.`,
    )
  }
  if (format === ownFormat && Number.isInteger(partitions) && partitions >= 1 && partitions <= maxPartitions)
    return partitions
  throw new EngineError(
    'ERR_STORE_FOREIGN',
    `The store "${name}" cannot be used: the record ${formatKey} is not one of Fanlight's; it has another owner or is damaged.`,
  )
}

interface FormatRecord {
  readonly format?: string
  readonly partitions?: string
}

async function readFormat(client: RedisClient): Promise<FormatRecord> {
  return Object.fromEntries(pairsOf(await sendOne(client, ['hgetall', formatKey])))
}

/** Processes that start at once agree on the record of the first one. */
async function makeFormat(client: RedisClient, partitions: number): Promise<FormatRecord> {
  for (const [field, value] of [
    ['partitions', partitions],
    ['format', ownFormat],
  ] as const) {
    await sendOne(client, ['hsetnx', formatKey, field, value])
  }
  return readFormat(client)
}

async function sendOne(client: RedisClient, command: RedisCommand): Promise<RedisReply | undefined> {
  return accepted(await client.send(slotOf(formatKey), [command]))[0]
}
