// One answer to "did you mean": a route near the request, and why it did not take it.

/** A near route. Debug only: it names routes. */
export interface Suggestion {
  readonly routeName: string
  /** Its pattern: `/products/{slug}`. */
  readonly pattern: string
  /** What kind of miss it was. */
  readonly kind:
    | 'typo'
    | 'case'
    | 'slash'
    | 'doubled-slash'
    | 'plural'
    | 'requirement'
    | 'method'
    | 'host'
    | 'scheme'
    | 'prefix'
  /** One sentence for people: `Parameter "id" is "abc", but must match \d+.` */
  readonly reason: string
  /** Method and URL that would work, where one can be named: `GET`, `/products`. */
  readonly method: string
  readonly url: string | null
  /** File and line of the definition, relative to the project: `app/routes.ts:12`; `null` where unknown. */
  readonly definedAt: string | null
}
