// Bounds how many calls wait at a time: each of them asks the store again and again.

/** Calls that may wait at a time. */
const places = 16

export class WaitingRoom {
  #waiting = 0

  /** Resolves with what the work gives, or with `null` if there is no room. */
  async wait<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (this.#waiting >= places) return null
    this.#waiting += 1
    try {
      return await work()
    } finally {
      this.#waiting -= 1
    }
  }
}
