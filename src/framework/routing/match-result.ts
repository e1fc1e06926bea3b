// The outcome of looking a request up in the route table. A value, not an exception: an unmatched path is ordinary.

import type { Route } from './route.ts'

/** What the table says to a request. */
export type MatchResult =
  | {
      readonly kind: 'match'
      readonly route: Route
      /** Decoded values of the path and host, defaults filled in. */
      readonly params: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'redirect'
      readonly route: Route
      /** Where the route's own form is: path and query, or an absolute URL for another scheme. Never starts with `//`. */
      readonly location: string
      readonly status: 301 | 308
    }
  | { readonly kind: 'not_found' }
  | {
      readonly kind: 'method_not_allowed'
      /** Methods that the path allows, for the `Allow` header, in the order of the table. */
      readonly allow: readonly string[]
    }
