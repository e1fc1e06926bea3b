// Which parts of the store do not take profiles, since when and why: for the log, the status page and new tokens.

import type { FleetOutage } from '../../profiler/fleet-stats.ts'
import type { HeldProfiles } from './held-profiles.ts'
import { notePartCount, notePartState, type SharedPartStates } from './part-states.ts'
import type { Partition } from './partitions.ts'
import type { RedisConnection } from './redis-connection.ts'
import { toEngineError } from './redis-failure.ts'

interface PartHealthOptions {
  readonly connection: RedisConnection
  readonly held: HeldProfiles
  readonly states: SharedPartStates
  readonly onWarning: (line: string) => void
}

/** How long another outage is not logged after one, in milliseconds. The next line that is has its counts. */
const quietMs = 60_000

interface Failing extends FleetOutage {
  /** The server when it began. */
  readonly node: string | undefined
}

export class PartHealth {
  readonly #options: PartHealthOptions
  /** The first one first; `undefined`: the whole store. */
  readonly #failing = new Map<Partition | undefined, Failing>()
  #partitions: readonly Partition[] = []
  #lateBefore = 0
  #droppedBefore = 0
  #displacedBefore = 0
  /** When the log last had a line, by `performance.now()`; `null`: the outage that goes on is in the log. */
  #saidAt: number | null = -Infinity

  constructor(options: PartHealthOptions) {
    this.#options = options
  }

  /** The partitions are known. What a thread before this one noted of them is over. */
  begin(partitions: readonly Partition[]): void {
    this.#partitions = partitions
    notePartCount(this.#options.states, partitions.length)
    this.#noteStates()
  }

  /** A partition began to fail, or (`null`) accepts profiles again. Logs once that profiles are held back, and once that none are any more. */
  note(partition: Partition | undefined, failure: Error | null): void {
    const { connection, held, onWarning } = this.#options
    const wasFailing = this.#failing.size > 0
    const reason = failure === null ? '' : toEngineError(failure, connection.name).message
    if (failure === null) this.#failing.delete(partition)
    else this.#failing.set(partition, { since: Date.now(), reason, node: this.#nodeOf(partition) })
    this.#noteStates()
    const { late, dropped, displaced = 0 } = held.stats
    if (!wasFailing && failure !== null) {
      // Links that are slow would fail and recover without end.
      const waitMs = (this.#saidAt ?? -Infinity) + quietMs - performance.now()
      if (waitMs <= 0) this.#sayOutage()
      else setTimeout(() => this.#sayOutage(), waitMs).unref()
    } else if (wasFailing && this.#failing.size === 0 && this.#saidAt === null) {
      const removed = displaced - this.#displacedBefore
      const more = removed === 0 ? '' : `, ${removed} older ones were removed to make room`
      const counts = `${late - this.#lateBefore} were stored late, ${dropped - this.#droppedBefore} were dropped${more}`
      this.#saidAt = performance.now()
      this.#displacedBefore = displaced
      onWarning(`The store "${connection.name}" takes all profiles again: ${counts}.`)
      this.#lateBefore = late
      this.#droppedBefore = dropped
    }
  }

  #sayOutage(): void {
    const [first] = this.#failing.values()
    if (first === undefined || this.#saidAt === null) return
    this.#saidAt = null
    this.#options.onWarning(`Profiles wait in memory, at most ${this.#options.held.stats.maxHeld}: ${first.reason}`)
  }

  get outage(): FleetOutage | null {
    const { problem } = this.#options.connection
    if (problem !== null) return problem
    const [first] = this.#failing.values()
    if (first === undefined) return null
    const parts = `${this.#failing.size} of ${this.#partitions.length} parts do not take profiles`
    return { since: first.since, reason: `${parts}: ${first.reason}` }
  }

  /** New tokens avoid every partition of a server that fails, not only the one that was met first. */
  #noteStates(): void {
    const nodes = new Set([...this.#failing.values()].map(({ node }) => node))
    for (const partition of this.#partitions) {
      const isFailing = this.#failing.has(partition) || nodes.has(this.#nodeOf(partition) ?? '')
      notePartState(this.#options.states, partition.index, isFailing)
    }
  }

  /** The server of a partition; `undefined` where none is known. */
  #nodeOf(partition: Partition | undefined): string | undefined {
    try {
      return partition === undefined ? undefined : this.#options.connection.use().client.primaryOf(partition.slot)
    } catch {
      return undefined
    }
  }
}
