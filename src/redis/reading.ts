// One reading of several partitions: asks them side by side, and remembers which ones did not respond.

import type { MissingParts } from '../profiles/profile-store.ts'
import type { KeepingClass, Totals } from '../stores/profile-keeping.ts'
import { indexOfToken, type Partition } from './partitions.ts'
import type { RedisClient } from './redis-client.ts'
import { accepted, type RedisCommand, type RedisReply, pause } from './redis-command.ts'

/** Milliseconds after which a partition that was asked counts as missing: within 2 s a list says so. */
const responseMs = 1800

/** Milliseconds after which a search ends with what it has found. */
const searchMs = 5000

export interface PartitionHead {
  /** Greatest number that it gave; 0 for none. */
  readonly newestSeq: number
  readonly totals: Readonly<Record<KeepingClass, Totals>>
}

const totalFields = ['seq', 'ordinary:count', 'ordinary:bytes', 'longer:count', 'longer:bytes'] as const

interface ReadingOptions {
  readonly client: RedisClient
  readonly partitions: readonly Partition[]
  /** Default: every partition is waited for. */
  readonly absent?: AbsentParts
  /** Milliseconds for each partition. Default 1800. */
  readonly patienceMs?: number
}

export class Reading {
  readonly partitions: readonly Partition[]
  readonly #client: RedisClient
  readonly #patienceMs: number
  readonly #absent: AbsentParts | undefined
  readonly #endsAt: number = performance.now() + searchMs
  readonly #missing = new Map<number, unknown>()

  /** `absent`: nodes that nobody waits for; one that does not respond is added. */
  constructor({ client, partitions, absent, patienceMs = responseMs }: ReadingOptions) {
    this.#client = client
    this.partitions = partitions
    this.#patienceMs = patienceMs
    this.#absent = absent
    for (const partition of partitions) {
      if (absent?.has(partition) === true) this.#missing.set(partition.index, absent.failureOf(partition))
    }
  }

  /** The partition of a token, which is of the right form. */
  partitionOf(token: string): Partition {
    const partition = this.partitions[indexOfToken(token, this.partitions.length)]
    if (partition === undefined) throw new RangeError(`No partition for the token ${JSON.stringify(token)}`)
    return partition
  }

  /** Replies to commands for one partition; `undefined` if it did not respond, now or earlier. */
  async send(
    partition: Partition,
    commands: readonly RedisCommand[],
    isRaw = false,
  ): Promise<readonly RedisReply[] | undefined> {
    const { index, slot } = partition
    if (this.#missing.has(index)) return undefined
    try {
      return accepted(await this.#client.send(slot, commands, { patienceMs: this.#patienceMs, isRaw }))
    } catch (failure) {
      this.#missing.set(index, failure)
      this.#absent?.note(partition, failure)
      return undefined
    }
  }

  /** Replies by partition. Rejects with the failure of one of them if none responded. */
  async sendToEach(
    commandsFor: (partition: Partition) => readonly RedisCommand[],
  ): Promise<readonly (readonly RedisReply[] | undefined)[]> {
    const replies = await Promise.all(this.partitions.map((partition) => this.send(partition, commandsFor(partition))))
    if (this.#missing.size === this.partitions.length) throw this.#missing.values().next().value
    return replies
  }

  failureOf({ index }: Partition): unknown {
    return this.#missing.get(index)
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** For pages; nothing where all responded. */
  get missing(): { readonly missing?: MissingParts } {
    return this.#missing.size === 0 ? {} : { missing: { parts: this.#missing.size, of: this.partitions.length } }
  }
}

/** Asks for what `headOf` reads. */
export function headCommand({ totalsKey }: Partition): RedisCommand {
  return ['hmget', totalsKey, ...totalFields]
}

export function headOf(reply: RedisReply | undefined): PartitionHead {
  const numbers = Array.isArray(reply) ? reply.map(Number) : []
  const [newestSeq = 0, ordinaryCount = 0, ordinaryBytes = 0, longerCount = 0, longerBytes = 0] = numbers
  return {
    newestSeq,
    totals: {
      ordinary: { count: ordinaryCount, bytes: ordinaryBytes },
      longer: { count: longerCount, bytes: longerBytes },
    },
  }
}

/** Milliseconds between two questions to a partition that is away. */
const askEveryMs = 300

/** Why a partition is away. */
interface Absence {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly failure: unknown
}

export class AbsentParts {
  readonly #failures = new Map<Partition, Absence>()
  readonly #ask: (partition: Partition) => Promise<unknown>
  #isClosed = false

  /** `ask` rejects while the partition does not respond. */
  constructor(ask: (partition: Partition) => Promise<unknown>) {
    this.#ask = ask
  }

  has(partition: Partition): boolean {
    return this.#failures.has(partition)
  }

  failureOf(partition: Partition): unknown {
    return this.#failures.get(partition)?.failure
  }

  /** The first of them; `undefined` while none is away. */
  get first(): Absence | undefined {
    return this.#failures.values().next().value
  }

  /** It did not respond: from now on it is asked in the background. */
  note(partition: Partition, failure: unknown): void {
    const known = this.#failures.get(partition)
    this.#failures.set(partition, { since: known?.since ?? Date.now(), failure })
    if (known === undefined) void this.#watch(partition)
  }

  close(): void {
    this.#isClosed = true
  }

  async #watch(partition: Partition): Promise<void> {
    while (!this.#isClosed) {
      await pause(askEveryMs)
      try {
        await this.#ask(partition)
        this.#failures.delete(partition)
        return
      } catch (failure) {
        this.note(partition, failure)
      }
    }
  }
}
