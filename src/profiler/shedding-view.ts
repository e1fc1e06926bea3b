// What a plugin that turns requests away under load tells the status page.

export interface SheddingFacts {
  /** From this lateness of the event loop on, in milliseconds. */
  readonly limitMs: number
  /** Lateness now, in milliseconds. */
  readonly lateMs: number
  /** Requests since the start. */
  readonly turnedAway: number
}

export interface SheddingView {
  /** As it is now. */
  readonly sheddingFacts: SheddingFacts
}
