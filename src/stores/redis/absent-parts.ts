// Partitions that did not respond to somebody who read: nobody waits for them again until they do.

import type { Partition } from './partitions.ts'
import { pause } from './patience.ts'

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
