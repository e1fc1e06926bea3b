// What a store that several machines share says of itself and of them.

/** How a store that several machines share fares, as this process sees it. */
export interface FleetStats {
  /** Profiles that wait until their part of the store takes them. */
  readonly held: number
  readonly heldBytes: number
  /** Profiles at most that may wait so; what comes beyond it, or beyond its bytes, is dropped. */
  readonly maxHeld: number
  readonly maxHeldBytes: number
  /** Profiles that waited so and were stored in the end. */
  readonly late: number
  /** Profiles that waited so and were given up. */
  readonly dropped: number
  /** Profiles that are stored, though no replica confirmed it. */
  readonly unconfirmed: number
  /** What cannot be reached now; `null`: nothing. */
  readonly outage: FleetOutage | null
  /** The processes that take part, the longest known first. Default: unknown. */
  readonly members?: readonly FleetMember[]
}

/** Why a shared store, or a part of it, cannot be reached. */
export interface FleetOutage {
  /** Milliseconds since 1970. */
  readonly since: number
  /** One sentence. */
  readonly reason: string
}

/** A process that shares the store. */
export interface FleetMember {
  readonly host: string
  readonly pid: number
  /** Version of the application; `null`: not named. */
  readonly version: string | null
  /** When it was first heard of, milliseconds since 1970 by the store's clock. */
  readonly since: number
  /** When it was last heard of. */
  readonly time: number
}
