// A write that must survive the loss of its node: it counts once a replica has it, or once it is certain that there is no replica.

import { isEngineError } from '../engine-error.ts'
import { slotOf } from './key-slot.ts'
import { isPassing } from './delivery.ts'
import { pause } from './patience.ts'
import type { RedisClient } from './redis-client.ts'
import { accepted, infoOf, type RedisCommand } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { failureOf, RedisFailure, toEngineError } from './redis-failure.ts'

/** How long a replica may take, in milliseconds. */
const replicaMs = 500

/** How long one attempt may take. */
const attemptMs = 1500

/** For how long a write is tried while its node is replaced, in milliseconds. */
const patienceMs = 5000
const pauseMs = 100

/** The node is being replaced, or a replica was slow. */
const worthAnother: ReadonlySet<string> = new Set(['DOWN', 'CLOSED', 'TIMEOUT', 'NOREPLICAS', 'READONLY', 'UNBLOCKED'])

/** Sends one command of one key, which may be sent twice. Rejects with an `EngineError` that says why it may be lost or was refused. */
export async function writeConfirmed(connection: RedisConnection, key: string, command: RedisCommand): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      await writeOnce(connection.use().client, slotOf(key), command)
      return
    } catch (thrown) {
      if (!mayPass(thrown) || performance.now() + pauseMs > deadline) throw toEngineError(thrown, connection.name)
    }
    await pause(pauseMs)
  }
}

async function writeOnce(client: RedisClient, slot: number, command: RedisCommand): Promise<void> {
  const [info] = accepted(await client.send(slot, [['info', 'replication']], { patienceMs: attemptMs }))
  const hasReplica = infoOf(info)('connected_slaves') !== '0'
  // A primary without replicas would still wait for one, and delay other commands.
  const commands: readonly RedisCommand[] = hasReplica ? [command, ['wait', 1, replicaMs]] : [command]
  const replies = accepted(await client.send(slot, commands, { patienceMs: attemptMs }))
  if (hasReplica ? Number(replies[1]) > 0 : await isPrimaryForAll(client, slot)) return
  throw new RedisFailure('NOREPLICAS', `no replica has confirmed the write within ${replicaMs} ms, so it may be lost`)
}

/** Whether the primary of a slot is it in the eyes of the others, too: one that was replaced may not know it yet. */
async function isPrimaryForAll(client: RedisClient, slot: number): Promise<boolean> {
  const node = client.primaryOf(slot)
  const others = client.primaries().filter((name) => name !== node)
  const seen = await Promise.allSettled(others.map((name) => client.slotsSeenBy(name)))
  const owners = seen.flatMap((one) => (one.status === 'fulfilled' ? [one.value.owners[slot]] : []))
  return owners.every((owner) => owner === node) && (owners.length > 0 || others.length === 0)
}

function mayPass(thrown: unknown): boolean {
  if (isEngineError(thrown)) return thrown.code === 'ERR_STORE_UNAVAILABLE'
  const failure = failureOf(thrown)
  return worthAnother.has(failure.code) || isPassing(failure)
}
