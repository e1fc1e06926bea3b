// Whether a logger is printing right now, so that a line that it prints through `console` is not kept twice.

export class Printing {
  #depth = 0

  get isRunning(): boolean {
    return this.#depth > 0
  }

  /** Prints, and gives what that gives. */
  run(print: () => unknown): unknown {
    this.#depth += 1
    try {
      return print()
    } finally {
      this.#depth -= 1
    }
  }
}
