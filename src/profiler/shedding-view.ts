// What a plugin that turns requests away under load tells the status page.

/** What is turned away, and from when on. */
export interface SheddingFacts {
  /** From this lateness of the event loop on, in milliseconds. */
  readonly limitMs: number
  /** Lateness now, in milliseconds. */
  readonly lateMs: number
  /** Requests since the start. */
  readonly turnedAway: number
}

/** A plugin that turns requests away under load. */
export interface SheddingView {
  /** As it is now. */
  readonly sheddingFacts: SheddingFacts
}
