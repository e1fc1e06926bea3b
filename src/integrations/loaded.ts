// What observes one application. Loaded where integrations are on.

import { integrations } from './frameworks/all.ts'
import { WrongApplicationError } from './frameworks/wrong-application.ts'
import { checkIntegrationOptions } from './options.ts'
import { sharedParts } from './process-wide.ts'

/** Observes an application; see `attachWhenOn`. */
export function attach(packageName: string, application: unknown, options: unknown): void {
  checkIntegrationOptions(options)
  const integration = integrations.find((known) => known.package === packageName)
  if (integration === undefined) throw new TypeError(`There is no integration for the package "${packageName}"`)
  const shared = sharedParts()
  if (shared === null) return
  const wrong = shared.observer.guard(`${integration.framework}: application`, () => {
    try {
      return integration.attach(application, shared.observer)
    } catch (thrown) {
      if (thrown instanceof WrongApplicationError) return thrown
      throw thrown
    }
  })
  if (wrong !== undefined) throw wrong
  shared.start(options)
  shared.subscribe(integration)
}
