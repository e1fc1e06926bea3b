// What has to be known of a store in Redis before its first use: whether its servers can hold it, and how it is laid out, which
// is decided once, when the store is made.

import { EngineError } from '../engine-error.ts'
import type { StoreFinding } from '../store-finding.ts'
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

/** Whether a server can hold a store: its version, its role, what it does when its memory is full, and its replicas. */
export function judgeServer({ node, version, policy, isReplica, replicas }: RedisServer): readonly StoreFinding[] {
  const isOld = Number.parseInt(version, 10) < 7
  const policyText = `${node} has the maxmemory-policy ${policy}`
  return [
    isOld
      ? { name: 'version', state: 'bad', says: `${node} is Redis ${version}`, advice: 'install version 7 or later' }
      : { name: 'version', state: 'good', says: `Redis ${version}` },
    policy.startsWith('allkeys-')
      ? {
          name: 'policy',
          state: 'bad',
          says: `${policyText}, which removes parts of profiles`,
          advice: 'set it to noeviction',
        }
      : policy.startsWith('volatile-')
        ? { name: 'policy', state: 'warning', says: policyText, advice: 'set it to noeviction' }
        : { name: 'policy', state: 'good', says: policy === '' ? 'the servers do not tell' : policy },
    isReplica
      ? {
          name: 'role',
          state: 'bad',
          says: `${node} is a read-only replica`,
          advice: 'name its primary, or all nodes of the cluster',
        }
      : { name: 'role', state: 'good', says: 'every node takes writes' },
    replicas === 0
      ? {
          name: 'replicas',
          state: 'warning',
          says: `${node} has no replica`,
          advice: 'give it one, or what it holds goes with it',
        }
      : { name: 'replicas', state: 'good', says: 'every primary has one or more' },
  ]
}

/** Throws an `EngineError` (`ERR_STORE_OPEN`) for a server that cannot hold the store; gives what is doubtful, a line each. */
export function checkServer(name: string, server: RedisServer): readonly string[] {
  const findings = judgeServer(server)
  const textOf = ({ says, advice = '' }: StoreFinding): string => `${says}; ${advice}`
  const bad = findings.find(({ state }) => state === 'bad')
  if (bad !== undefined) throw new EngineError('ERR_STORE_OPEN', `The store "${name}" cannot be used: ${textOf(bad)}.`)
  return findings.filter(({ state }) => state === 'warning').map(textOf)
}

/** The number of partitions of the store, which is made if it is new. Throws an `EngineError` (`ERR_STORE_VERSION`) for a newer format. */
export async function openFormat(name: string, client: RedisClient, maxProfiles: number): Promise<number> {
  const known = await knownPartitions(name, client)
  if (known !== null) return known
  return partitionsOf(name, await makeFormat(client, partitionsFor(maxProfiles)))
}

/** The same, but nothing is made: `null` if there is no store yet. */
export async function knownPartitions(name: string, client: RedisClient): Promise<number | null> {
  const record = await readFormat(client)
  return record.format === undefined ? null : partitionsOf(name, record)
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
