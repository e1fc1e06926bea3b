// What `observe` can be given.

export interface Observable {
  /** For people: `a Map that serves as a cache`. */
  readonly what: string
  /** Whether `target` is one. Reads properties only. */
  readonly fits: (target: object) => boolean
  /** A second call for the same object changes nothing. */
  readonly observe: (target: object) => void
}
