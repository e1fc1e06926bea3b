// Whether writes are confirmed by a replica: asked of a primary while it has one. A primary that was left alone is not waited for.

import type { RedisClient } from './redis-client.ts'
import { accepted, infoOf } from './redis-command.ts'

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

export class ReplicaWatch {
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
