// A route table of an unusual size, for tests of what it finds and measurements of how fast.

import { RouteCollection, text } from '../../src/index.ts'

/** `size` fixed paths `/fixed/page-<n>`, and as many with parameters, `/area-<n % 100>/{id}/list-<n>/{page}`. */
export function largeRouteTable(size: number): RouteCollection {
  const routes = new RouteCollection()
  for (let index = 0; index < size; index += 1) {
    routes.add({ name: `fixed${index}`, path: `/fixed/page-${index}`, handler: () => text('') })
    routes.add({
      name: `param${index}`,
      path: `/area-${index % 100}/{id}/list-${index}/{page}`,
      handler: () => text(''),
    })
  }
  return routes
}
