// Tells whether requests are recorded in great number: then it counts what recording one costs, and one that is recorded less
// exactly is not missed.

/** Recorded requests of one second that are many. More than a person makes by hand. */
export const manyRequests = 50

/** Counts the requests of each second. */
export class RequestPace {
  #second = 0
  #count = 0
  #isBusy = false

  /** A request began at this time, in milliseconds since 1970. */
  began(atMs: number): void {
    const second = Math.floor(atMs / 1000)
    if (second !== this.#second) {
      this.#isBusy = second === this.#second + 1 && this.#count >= manyRequests
      this.#second = second
      this.#count = 0
    }
    this.#count += 1
    if (this.#count >= manyRequests) this.#isBusy = true
  }

  /** Whether many came in this second or in the one before. */
  get isBusy(): boolean {
    return this.#isBusy
  }
}
