// A write that must survive the loss of its node: it counts once a replica has it, or where no other node could take over without it.

import { EngineError, isEngineError } from '../engine-error.ts'
import { slotOf } from './key-slot.ts'
import { isPassing } from './delivery.ts'
import { pause } from './patience.ts'
import type { RedisClient } from './redis-client.ts'
import { accepted, infoOf, type RedisCommand, type RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { failureOf, RedisFailure, toEngineError } from './redis-failure.ts'

/** How long a replica may take, in milliseconds. */
const replicaMs = 500

/** How long one attempt may take. */
const attemptMs = 1500

/** For how long a write is tried, in milliseconds: a replica takes over 7 to 9 s after its primary with the node time-out that the guide recommends. */
const patienceMs = 12_000
const pauseMs = 100

/** The node is being replaced, or a replica was slow. */
const worthAnother: ReadonlySet<string> = new Set(['DOWN', 'CLOSED', 'TIMEOUT', 'NOREPLICAS', 'READONLY', 'UNBLOCKED'])

/** What became of a write that failed, the least of it first. */
const outcomes = [
  'Nothing was changed.',
  'The change may be in force.',
  'The change is in force, but is lost with that node.',
]

interface ConfirmedWrite {
  /** Where it is written. */
  readonly key: string
  /** Of this key. It may be sent twice. */
  readonly command: RedisCommand
  /** Whether one node is enough. Default: no. */
  readonly isForced?: boolean
}

/** What the command gives. Rejects with an `EngineError` that says why it may be lost or was refused, and whether it counts nevertheless. */
export async function writeConfirmed(
  connection: RedisConnection,
  write: ConfirmedWrite,
): Promise<RedisReply | undefined> {
  const deadline = performance.now() + patienceMs
  let outcome = 0
  for (;;) {
    try {
      return await writeOnce(connection.use().client, write, (reached) => (outcome = Math.max(outcome, reached)))
    } catch (thrown) {
      if (!mayPass(thrown) || performance.now() + pauseMs > deadline) {
        const { code, message } = toEngineError(thrown, connection.name)
        throw new EngineError(code, `${message} ${outcomes[outcome]}`)
      }
    }
    await pause(pauseMs)
  }
}

async function writeOnce(
  client: RedisClient,
  { key, command, isForced = false }: ConfirmedWrite,
  reach: (outcome: number) => void,
): Promise<RedisReply | undefined> {
  const slot = slotOf(key)
  // In the slot of the key: the primary whose replica was there at the last write.
  const nodeKey = `${key.slice(0, key.indexOf('}') + 1)}:node`
  const [info, nodeBefore] = accepted(
    await client.send(
      slot,
      [
        ['info', 'replication'],
        ['get', nodeKey],
      ],
      { patienceMs: attemptMs },
    ),
  )
  const node = client.primaryOf(slot) ?? ''
  const hasReplica = infoOf(info)('connected_slaves') !== '0'
  // A primary without replicas would still wait for one, and delay other commands.
  const more: readonly RedisCommand[] = hasReplica
    ? [
        ['set', nodeKey, node],
        ['wait', 1, replicaMs],
      ]
    : []
  const sent = await client.send(slot, [command, ...more], { patienceMs: attemptMs }).catch((thrown: unknown) => {
    if (failureOf(thrown).code !== 'DOWN') reach(1)
    throw thrown
  })
  const replies = accepted(sent)
  reach(2)
  if (isForced) return replies[0]
  if (hasReplica ? Number(replies[2]) > 0 : await isAlone(client, slot, String(nodeBefore ?? '') === node))
    return replies[0]
  const why = hasReplica ? `no replica has confirmed the write within ${replicaMs} ms` : `${node} has lost its replica`
  throw new RedisFailure('NOREPLICAS', `${why}, so it may be lost`)
}

/**
 * Whether a primary without replicas is one for the other primaries, too, and no node could take its place: one that was replaced may not
 * know it yet, and a replica that has lost touch takes over without the write.
 */
async function isAlone(client: RedisClient, slot: number, hadReplica: boolean): Promise<boolean> {
  const node = client.primaryOf(slot)
  const primaries = client.primaries()
  const seen = await Promise.allSettled(primaries.map((name) => client.slotsSeenBy(name)))
  const views = seen.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const isAgreed = views.every(({ owners, backed }) => owners[slot] === node && !backed.has(node ?? ''))
  return isAgreed && !hadReplica && views.length > Math.min(1, primaries.length - 1)
}

function mayPass(thrown: unknown): boolean {
  if (isEngineError(thrown)) return thrown.code === 'ERR_STORE_UNAVAILABLE'
  const failure = failureOf(thrown)
  return worthAnother.has(failure.code) || isPassing(failure)
}
