// A lane to one part of the store. What the part does not accept in time is kept and sent again in the background, so that
// nobody waits for a part that is away.

import { isProfileRefusedError } from '../../profiler/profile-refused-error.ts'
import type { HeldProfiles } from './held-profiles.ts'
import { isLate, pause } from './patience.ts'
import type { StoredRow } from './profile-rows.ts'
import { RedisFailure } from './redis-failure.ts'

interface LaneOptions {
  readonly held: HeldProfiles
  /**
   * Stores profiles, all or none. Rejects with `ProfileRefusedError` for tokens that exist; `isRepeated`: they may be there from an earlier
   * attempt, and count as stored.
   */
  readonly send: (rows: readonly StoredRow[], isRepeated: boolean) => Promise<void>
  /** Called when the lane begins to hold profiles back, with the reason, and when it has sent everything (`null`). */
  readonly onChange: (failure: Error | null) => void
}

/** Profiles that are sent again at once. */
const repeatedAtOnce = 64

const firstPauseMs = 100
const longestPauseMs = 1000

export class WriteLane {
  readonly #options: LaneOptions
  #isHolding = false
  #isClosed = false

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** Ends when they are stored, or after this many milliseconds, when they are held back. Only rejects with `ProfileRefusedError`. */
  async write(rows: readonly StoredRow[], patienceMs: number): Promise<void> {
    const { held } = this.#options
    if (this.#isHolding) return held.add(rows, this)
    const sending = this.#options.send(rows, false)
    let failure: Error = new RedisFailure('TIMEOUT', `no response within ${Math.round(patienceMs)} ms`)
    try {
      if (!(await isLate(sending, patienceMs))) return
    } catch (thrown) {
      if (isProfileRefusedError(thrown)) throw thrown
      failure = thrown instanceof Error ? thrown : new Error(String(thrown))
    }
    held.add(rows, this)
    // The first attempt may still arrive: sending it a second time at once would only add to what is too much already.
    const first = sending.then(
      () => held.release(rows, this),
      () => undefined,
    )
    if (this.#isHolding) return
    this.#isHolding = true
    this.#options.onChange(failure)
    void this.#sendHeld(first)
  }

  get isHolding(): boolean {
    return this.#isHolding
  }

  /** Sends nothing any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Never rejects. */
  async #sendHeld(first: Promise<void>): Promise<void> {
    const { held, send, onChange } = this.#options
    await first
    let pauseMs = firstPauseMs
    for (let rows = held.of(this); rows.length > 0 && !this.#isClosed; rows = held.of(this)) {
      const part = rows.slice(0, repeatedAtOnce)
      try {
        await send(part, true)
        held.release(part, this)
        pauseMs = firstPauseMs
      } catch {
        await pause(pauseMs)
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      }
    }
    this.#isHolding = false
    onChange(null)
  }
}
