// A clock and an event loop that only move when a test says so.

import type { LoopClocks } from '../../src/measuring/loop-watch.ts'

/** Made at 0; nothing passes by itself. */
export class HandClocks implements LoopClocks {
  #nowMs = 0
  #idleMs = 0
  #waiting: (() => void)[] = []
  readonly now = (): number => this.#nowMs
  readonly idle = (): number => this.#idleMs
  readonly onTurn = (turned: () => void): void => {
    this.#waiting.push(turned)
  }

  /** Code runs for this long. */
  run(ms: number): void {
    this.#nowMs += ms
  }

  /** The loop waits for events for this long. */
  wait(ms: number): void {
    this.#nowMs += ms
    this.#idleMs += ms
  }

  /** The loop has run what was ready, and looks for more. */
  turn(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const turned of waiting) turned()
  }
}
