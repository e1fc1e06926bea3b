// Bounds how many calls wait at a time: each of them asks the store again and again.

import type { WaitingRoom } from './tool.ts'

/** Calls that may wait at a time. */
const places = 16

export class BoundedRoom implements WaitingRoom {
  #waiting = 0

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
