// Writes to partitions: one script call a batch, confirmed by a replica if there is one.

import { createHash } from 'node:crypto'
import type { ProfileBounds } from '../engine-options.ts'
import type { KeepingClass } from '../evict.ts'
import type { Partition } from './partitions.ts'
import { purgeScript, writeScript } from './partition-scripts.ts'
import type { StoredRow } from './profile-rows.ts'
import type { RedisClient } from './redis-client.ts'
import { type RedisCommand, type RedisReply, accepted, infoOf } from './redis-command.ts'
import { RedisFailure } from './redis-failure.ts'
import { refuseProfiles, takenToken } from '../../profiler/profile-refused-error.ts'

/** How long a primary waits for its replica, in milliseconds. */
const confirmMs = 500

/** Rows that one call of a purge looks at. */
const purgedAtOnce = 500

/** How long the memory of a server has to be full before the oldest profiles go for new ones, in milliseconds: it may be full of others' data. */
const fullMs = 10_000

/** Profiles that go at once where memory is full. */
const removedAtOnce = 200

const classes: readonly KeepingClass[] = ['ordinary', 'longer']

interface Script {
  readonly text: string
  readonly hash: string
}

const [write, purge] = [writeScript, purgeScript].map((text): Script => ({
  text,
  hash: createHash('sha1').update(text).digest('hex'),
})) as [Script, Script]

export class PartitionWriter {
  readonly #use: () => RedisClient
  readonly #bounds: ProfileBounds
  readonly #watch = new ReplicaWatch()
  /** Partitions whose server has no memory left, and since when. */
  readonly #full = new Map<Partition, number>()
  readonly #onRemoved: (count: number) => void
  #unconfirmed = 0

  /** `bounds`: those of one partition. `onRemoved` hears how many profiles went to make room in a full server. */
  constructor(use: () => RedisClient, bounds: ProfileBounds, onRemoved: (count: number) => void) {
    this.#use = use
    this.#bounds = bounds
    this.#onRemoved = onRemoved
  }

  /** Profiles that are stored, though no replica confirmed it. */
  get unconfirmed(): number {
    return this.#unconfirmed
  }

  /**
   * Stores rows, all or none. Rejects with `ProfileRefusedError` for tokens that exist, unless this is repeated: those count as stored then.
   * Rejects with `RedisFailure` if it failed or no replica confirmed it: it is to be repeated.
   */
  async write(partition: Partition, rows: readonly StoredRow[], isRepeated: boolean): Promise<void> {
    const client = this.#use()
    const node = client.primaryOf(partition.slot) ?? ''
    const isAsked = await this.#watch.isAsked(client, node)
    const askedAt = performance.now()
    const { maxCount, maxBytes, maxAgeMs } = this.#bounds
    const { totalsKey, ordinaryKey, longerKey, profilePrefix, index } = partition
    const [reply, replicas] = await runScript(
      client,
      partition,
      write,
      [totalsKey, ordinaryKey, longerKey, ...rows.map(({ token }) => profilePrefix + token)],
      [
        profilePrefix,
        index,
        maxCount,
        maxBytes,
        maxAgeMs,
        ...rows.flatMap(({ keepingClass, text, stored }) => [keepingClass, text, stored]),
      ],
      isAsked ? [['wait', 1, confirmMs]] : [],
    ).catch((failure: unknown) => this.#makeRoom(client, partition, failure))
    this.#full.delete(partition)
    const taken = new Set(Array.isArray(reply) ? reply.map((place) => rows[Number(place) - 1]) : [])
    if (!isRepeated) {
      const known = rows.filter((row) => taken.has(row))
      refuseProfiles(known, takenToken)
    }
    if (taken.size > 0 && taken.size < rows.length) {
      return this.write(
        partition,
        rows.filter((row) => !taken.has(row)),
        true,
      )
    }
    const isConfirmed = isAsked && Number(replicas) > 0
    if (isAsked && this.#watch.note(node, isConfirmed, askedAt))
      throw new RedisFailure('UNCONFIRMED', 'no replica confirmed it')
    if (!isConfirmed && this.#watch.hasSeenReplica) this.#unconfirmed += rows.length
  }

  /** Removes profiles that began before an instant, of those that are there now. Gives how many. */
  async purge(partition: Partition, newestSeq: number, before: number | undefined): Promise<number> {
    const client = this.#use()
    let removed = 0
    for (const name of classes) {
      for (let from = '-'; from !== '';) {
        const page = await purgePage(client, partition, [name, from, `${newestSeq}-0`, before ?? 'inf', purgedAtOnce])
        removed += page.removed
        from = page.last === '' ? '' : `(${page.last}`
      }
    }
    return removed
  }

  /** If the server has had no memory for a while, the oldest profiles of the partition go, for the next attempt. */
  async #makeRoom(client: RedisClient, partition: Partition, failure: unknown): Promise<never> {
    if (failure instanceof RedisFailure && failure.code === 'OOM') {
      const since = this.#full.get(partition) ?? performance.now()
      this.#full.set(partition, since)
      let removed = 0
      for (const name of performance.now() - since > fullMs ? classes : []) {
        if (removed === 0)
          removed = (await purgePage(client, partition, [name, '-', '+', 'inf', removedAtOnce])).removed
      }
      this.#onRemoved(removed)
    }
    throw failure
  }
}

/** Class, first and last id, instant, rows: what `purgeScript` gets after the prefix. */
type PurgeArguments = readonly [KeepingClass, string, string, number | 'inf', number]

async function purgePage(
  client: RedisClient,
  partition: Partition,
  args: PurgeArguments,
): Promise<{ readonly removed: number; readonly last: string }> {
  const { totalsKey, ordinaryKey, longerKey, noKey, profilePrefix } = partition
  const keys = [totalsKey, ordinaryKey, longerKey, noKey]
  const [reply] = await runScript(client, partition, purge, keys, [profilePrefix, ...args])
  const [removed, last] = Array.isArray(reply) ? reply : []
  return { removed: Number(removed ?? 0), last: String(last ?? '') }
}

/** The replies to a script and to what follows it in the same write. A server that does not know the script gets its text. */
async function runScript(
  client: RedisClient,
  { slot }: Partition,
  { hash, text }: Script,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
  others: readonly RedisCommand[] = [],
): Promise<readonly RedisReply[]> {
  const parts = [keys.length, ...keys, ...args] as const
  let replies = await client.send(slot, [['evalsha', hash, ...parts], ...others])
  const [first] = replies
  if (first instanceof RedisFailure && first.code === 'NOSCRIPT') {
    replies = await client.send(slot, [['eval', text, ...parts], ...others])
  }
  return accepted(replies)
}

/**
 * How long a replica may miss writes before its primary is not waited for, in milliseconds. One that was replaced and does not know it yet
 * learns it meanwhile: it is replaced 7 to 9 s after the others lost it, with the node time-out that the guide recommends.
 */
const missedMs = 10_000

/** For how long, in milliseconds; then it is asked whether it has a replica. */
const restMs = 10_000

interface Node {
  /** When the first write after the last confirmed one began, by `performance.now()`; `null`: the last one was confirmed. */
  missedSince: number | null
  /** By `performance.now()`. */
  restsUntil: number
}

class ReplicaWatch {
  readonly #nodes = new Map<string, Node>()
  #hasSeenReplica = false

  /** Whether a write to this primary is to be confirmed. */
  async isAsked(client: RedisClient, name: string): Promise<boolean> {
    const node = this.#nodes.get(name)
    if (node !== undefined && node.restsUntil === 0) return true
    if (node !== undefined && node.restsUntil > performance.now()) return false
    const [info] = accepted(await client.ask(name, [['info', 'replication']]))
    const hasReplica = Number(infoOf(info)('connected_slaves')) > 0
    this.#nodes.set(name, { missedSince: null, restsUntil: hasReplica ? 0 : performance.now() + restMs })
    this.#hasSeenReplica ||= hasReplica
    return hasReplica
  }

  /** What a primary replied to a question that began at `askedAt`. Whether the write has to be sent again. */
  note(name: string, isConfirmed: boolean, askedAt: number): boolean {
    const node = this.#nodes.get(name)
    if (isConfirmed || node === undefined) {
      if (node !== undefined) node.missedSince = null
      return !isConfirmed
    }
    node.missedSince ??= askedAt
    if (performance.now() - node.missedSince < missedMs) return true
    node.missedSince = null
    node.restsUntil = performance.now() + restMs
    return false
  }

  /** Whether a write without confirmation is worth counting: a store without replicas is known for it from its start. */
  get hasSeenReplica(): boolean {
    return this.#hasSeenReplica
  }
}
