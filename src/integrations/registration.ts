// What `fanlight/register` does in a process where it is on: every server, every framework and every driver is observed without a
// line in the application.

import { captureHooks } from './captures/capture-hooks.ts'
import { integrations } from './frameworks/all.ts'
import { installLoadHooks } from './load-hooks.ts'
import { sharedParts } from './process-wide.ts'

/** Once for the process. Nothing is opened before the first request of a server. */
export function register(): void {
  const shared = sharedParts()
  if (shared === null) return
  shared.start(undefined)
  for (const integration of integrations) shared.subscribe(integration)
  shared.once('register', () => {
    const { observer } = shared
    const hooks = [...integrations.flatMap(({ loadHooks = [] }) => loadHooks), ...captureHooks, ...shared.logHooks]
    const packages = integrations.map((integration) => integration.package)
    const seen = installLoadHooks(hooks, packages, observer)
    shared.beforeFirstRequest(() => {
      if (packages.some((name) => seen.has(name))) return
      observer.note(
        'No framework was loaded from node_modules. If a bundler made one file of this application, only what publishes channels is seen (Express 5, Fastify, pino): call fanlight(app) in its code.',
      )
    })
  })
}
