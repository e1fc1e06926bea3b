// What the front asks of a profiler that runs. Loaded when a server listens.

import { isWithin } from '../profiler/sampling/signed-token.ts'
import { runInExchange } from '../framework/kernel/current-exchange.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import type { FrontProfiler } from './front.ts'
import { FrameworkRoutes } from './framework-routes.ts'
import type { Notes } from './notes.ts'
import type { IntegrationOptions } from './options.ts'
import { beginRecording, readNodeRequest } from './recorded-exchange.ts'
import { beginUpgrade } from './recorded-upgrade.ts'
import type { RouteLists } from './route-lists.ts'
import { startProfiling } from './start-profiling.ts'

/** Rejects with an error that names the setting or option that cannot be used. */
export async function startFrontProfiler(
  options: IntegrationOptions,
  settings: RuntimeContext,
  lists: RouteLists,
  notes: Notes,
): Promise<FrontProfiler> {
  const routes = new FrameworkRoutes(lists, notes)
  const profiling = await startProfiling(options, settings, routes, notes)
  const { observing, profilerPath, pages, entry } = profiling
  return {
    entry,
    read: (request) => readNodeRequest(request, profiling),
    isOwn: ({ path }) => isWithin(path, profilerPath),
    show: (request, response) => {
      routes.refresh()
      runInExchange(undefined, () => pages(request, response)).catch((thrown: unknown) => {
        response.destroy()
        notes.guard('A page of the profiler', () => {
          throw thrown
        })
      })
    },
    begin: (read, request, response, tap) => beginRecording(profiling, read, request, response, tap),
    beginUpgrade: (read, request) => beginUpgrade(profiling, read, request),
    noteUncaught: (exchange, thrown) => observing.noteUncaught(exchange, thrown),
    endNow: (budgetMs) => observing.endNow(budgetMs),
    flush: (deadlineMs) => observing.flush(deadlineMs),
  }
}
