// The routes of the profiler. They exist in debug only: outside it nothing of them is registered (SPEC 5.6).

import { RouteCollection } from '../routing/route-collection.ts'
import type { ProfilerController } from './profiler-controller.ts'

/** Asked before the application's own: a catch-all of the application must not hide the profiler. */
const first = { priority: Number.MAX_SAFE_INTEGER } as const

/**
 * The routes, to be merged into an application's table. The token's form is checked when it is read and again by every
 * store, not by the pattern: a malformed token, with slashes in it too, must get the same page as an unknown one (SPEC 5.3).
 */
export function profilerRoutes(controller: ProfilerController, profilerPath: string): RouteCollection {
  const routes = new RouteCollection()
  const path = profilerPath as '/_profiler'
  routes.get('_profiler_home', `${path}/`, async (exchange) => controller.list(exchange), first)
  routes.get('_profiler_latest', `${path}/latest`, async (exchange) => controller.latest(exchange), first)
  routes.get('_profiler_routes', `${path}/routes`, async (exchange) => controller.routes(exchange), first)
  routes.get('_profiler', `${path}/{token<.+>}`, async (exchange) => controller.show(exchange), first)
  return routes
}
