// Whether writes are confirmed by a replica: asked of a primary while it has one. A primary that was left alone is not waited for.

import type { RedisClient } from './redis-client.ts'
import { accepted, infoOf } from './redis-command.ts'

/** Misses in a row after which a primary is not waited for. One that was replaced and does not know it yet learns it meanwhile. */
const maxMisses = 3

/** For how long, in milliseconds; then it is asked whether it has a replica. */
const restMs = 10_000

interface Node {
  misses: number
  /** When the last miss was noted, by `performance.now()`. */
  missedAt: number
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
    this.#nodes.set(name, { misses: 0, missedAt: 0, restsUntil: hasReplica ? 0 : performance.now() + restMs })
    this.#hasSeenReplica ||= hasReplica
    return hasReplica
  }

  /**
   * What a primary replied to a question that began at `askedAt`. Whether the write has to be sent again. Questions that lie side by side
   * miss once.
   */
  note(name: string, isConfirmed: boolean, askedAt: number): boolean {
    const node = this.#nodes.get(name)
    if (isConfirmed || node === undefined) {
      if (node !== undefined) node.misses = 0
      return !isConfirmed
    }
    if (askedAt >= node.missedAt) {
      node.misses += 1
      node.missedAt = performance.now()
    }
    if (node.misses < maxMisses) return true
    node.restsUntil = performance.now() + restMs
    return false
  }

  /** Whether a write without confirmation is worth counting: a store without replicas is known for it from its start. */
  get hasSeenReplica(): boolean {
    return this.#hasSeenReplica
  }
}
