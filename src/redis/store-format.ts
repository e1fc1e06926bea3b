// What has to be known of a store in Redis before its first use: whether its servers can hold it, and how it is laid out, which
// is decided once, when the store is made.

import { EngineError } from '../stores/engine-error.ts'
import { slotOf } from './partitions.ts'
import type { RedisClient } from './redis-client.ts'
import { accepted, infoOf, pairsOf, type RedisCommand, type RedisReply } from './redis-command.ts'

/** How keys and values are written by this version. */
const ownFormat = 1

/** The key of the record: a hash of `format` and `partitions`. */
const formatKey = 'fanlight:{format}'

/** Profiles for each of which one more partition is made. */
const profilesPerPartition = 1000
export const maxPartitions = 36

/** What the servers of a store say of themselves. */
export interface RedisServer {
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

/** Asks a node about itself. */
export async function askServer(client: RedisClient, node: string): Promise<RedisServer> {
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
export function checkServer(name: string, server: RedisServer): readonly string[] {
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
export async function openFormat(name: string, client: RedisClient, maxProfiles: number): Promise<number> {
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
