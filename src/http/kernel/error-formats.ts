// The format of the response to an error: that of the route, of a group, or of the application.

import type { HttpRequest } from '../../base/http/request.ts'
import type { Area } from '../../routing/group-frame.ts'
import { RouteCollection } from '../../routing/route-collection.ts'
import type { RouteNames } from '../../routing/route-definition.ts'
import { UrlMatcher } from '../../routing/url-matcher.ts'
import type { ErrorFormat } from './error-format.ts'
import type { Exchange } from './exchange.ts'
import { innermost } from './handler-options.ts'

/**
 * Finds the format of a failed request; `undefined`: `Accept` decides. One without a route gets that of the innermost group whose path it is
 * below.
 */
export function errorFormats(
  areas: readonly Area[],
  ofApplication: ErrorFormat | undefined,
): (failed: Exchange) => ErrorFormat | undefined {
  const ofPath = formatsOfPaths(areas)
  return ({ route, request }) =>
    (route === undefined ? ofPath(request) : innermost(route.handlerOptions ?? [], 'errorFormat')) ?? ofApplication
}

/** Looks paths up in a table that has a route for everything below each group. */
function formatsOfPaths(areas: readonly Area[]): (request: HttpRequest) => ErrorFormat | undefined {
  const formats = new Map<string, ErrorFormat>()
  const table: RouteCollection<RouteNames> = new RouteCollection()
  const handler = (): never => {
    throw new Error('Nothing is served here')
  }
  for (const [index, { path, host = '', requirements = {}, groupOptions = [] }] of areas.entries()) {
    const format = innermost(groupOptions, 'errorFormat')
    // A group without path and host is nowhere in particular.
    if (format === undefined || (path === '' && host === '')) continue
    const shared = {
      host,
      requirements,
      handler,
      utf8: true,
      redirect: 'none',
      priority: path.split('/').length,
    } as const
    for (const own of [path, `${path}/{_below<.*>}`]) {
      const name = `${own} of group ${index}`
      formats.set(name, format)
      table.add({ ...shared, name, path: own })
    }
  }
  if (formats.size === 0) return () => undefined
  const matcher = new UrlMatcher(table)
  return (request) => {
    const found = matcher.find(request)
    return found.kind === 'match' ? formats.get(found.route.name) : undefined
  }
}
