// Names and paths of the profiler's pages. They are all that a start needs of them: the pages themselves are loaded with the
// first request for one.

/** Where a page of the profiler is found. */
export interface PageRoute {
  /** Name of its route: `_profiler_groups`. */
  readonly name: string
  /** Its path below the profiler's, without a slash in front: `groups`; empty for the list. A pattern of a route. */
  readonly path: string
}

/** Those of `all-pages.ts`, in the same order. No path may look like a token: 10 to 16 of 0-9 and a-z. */
export const pageRoutes: readonly PageRoute[] = [
  { name: '_profiler_home', path: '' },
  { name: '_profiler_live', path: 'live' },
  { name: '_profiler_latest', path: 'latest' },
  { name: '_profiler_groups', path: 'groups' },
  { name: '_profiler_runs', path: 'compare-runs' },
  { name: '_profiler_open', path: 'open-requests' },
  { name: '_profiler_compare', path: 'compare' },
  { name: '_profiler_export', path: 'export' },
  { name: '_profiler_routes', path: 'routes' },
  { name: '_profiler_status', path: 'status' },
]
