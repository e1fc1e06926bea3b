// What routing tried for a request that no route took: the nearest routes, each with the reason why it let it pass.

/** One route that did not take the request. Debug only: it names routes. */
export interface RouteAttempt {
  /** Upper case; empty for any method. */
  readonly methods: readonly string[]
  /** Its pattern: `/products/{slug}`. */
  readonly path: string
  /** Its host pattern; empty for any host. */
  readonly host: string
  readonly name: string
  /** Whether the path fits, and something else does not. */
  readonly isNear: boolean
  /** For people: `Requirement for "id" does not match (\d+)`. */
  readonly reason: string
  /** File and line of the definition, relative to the project; `null` where unknown. */
  readonly definedAt: string | null
}

/** The nearest of them. */
export interface RouteAttempts {
  /** Nearest first; the farther ones of a large table are left out. */
  readonly nearest: readonly RouteAttempt[]
  /** How many routes were asked. */
  readonly total: number
}
