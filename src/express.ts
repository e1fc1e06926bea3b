// The public entry `fanlight/express`: requests of an Express application, recorded in development.

import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/**
 * Records the requests of an Express application in development, and gives the application back. It may come before or after the
 * routes. Throws a TypeError for anything else.
 */
export function fanlight<
  Application extends { readonly use: unknown; readonly param: unknown; readonly engine: unknown },
>(application: Application, options: IntegrationOptions = {}): Application {
  return attachWhenOn('express', application, options)
}
