// How deep the stack is caught for one statement: as deep as its caller has been found to stand, once that is known.

/** So many times in a row at one place is known. */
const sureAfter = 8

/** Learns from where callers were found. */
export class StackDepth {
  readonly #deepest: number
  #frames: number
  #last = 0
  #alike = 0

  /** `deepest` frames are caught until something better is known. */
  constructor(deepest: number) {
    this.#deepest = deepest
    this.#frames = deepest
  }

  /** Frames to catch. */
  get frames(): number {
    return this.#frames
  }

  /**
   * The caller was the frame of this number, counted from 1; 0 where it was not among those that were caught. Where less than
   * the deepest was not enough once, nothing is learnt any more.
   */
  foundAt(frame: number): void {
    if (this.#alike < 0) return
    if (frame === 0) {
      if (this.#frames < this.#deepest) this.#alike = -1
      this.#frames = this.#deepest
    } else if (frame !== this.#last) {
      this.#last = frame
      this.#alike = 1
    } else {
      this.#alike += 1
      if (this.#alike >= sureAfter) this.#frames = frame
    }
  }
}
