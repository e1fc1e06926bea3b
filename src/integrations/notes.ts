// What integrations had to say: limits, doubts, code of theirs that threw. The status page shows it.

import { describeFailure } from '../http/kernel/describe-failure.ts'

/** Notes that are kept; later ones are not. */
const maxNotes = 50
const maxLength = 500

export class Notes {
  readonly #texts = new Set<string>()
  #unreadable = 0

  /** Each text once. */
  add(text: string): void {
    if (this.#texts.size < maxNotes) this.#texts.add(text.slice(0, maxLength))
  }

  /** Runs code of an integration; what it throws is noted, and the result is `undefined`. */
  guard<Value>(place: string, work: () => Value): Value | undefined {
    try {
      return work()
    } catch (thrown) {
      const { errorClass, message } = describeFailure(thrown)
      this.add(`${place} failed: ${errorClass}: ${message}`)
      return undefined
    }
  }

  /** Counts a request whose host or target cannot be read. */
  countUnreadable(): void {
    this.#unreadable += 1
  }

  list(): readonly string[] {
    const count = this.#unreadable
    if (count === 0) return [...this.#texts]
    const requests = count === 1 ? 'One request was' : `${count} requests were`
    return [...this.#texts, `${requests} not recorded: the host or the target cannot be read.`]
  }
}
