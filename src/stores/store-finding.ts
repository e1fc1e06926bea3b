// What is found when a store is checked.

/** One thing that was looked at. */
export interface StoreFinding {
  /** `file`, `replicas`. */
  readonly name: string
  /** `warning`: it works, and something should be done. `bad`: the store cannot be used like this. */
  readonly state: 'good' | 'warning' | 'bad'
  /** One line without a full stop. */
  readonly says: string
  /** The one thing to do, where something is wrong and `says` does not tell. */
  readonly advice?: string
}

/** What was found where a store is kept. */
export interface CheckedPlace {
  readonly findings: readonly StoreFinding[]
  /** Whether the store can be opened, and opening it changes nothing. */
  readonly mayBeOpened: boolean
}
