// The public entry `fanlight/nest`: requests of a Nest application, recorded in development.

import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/**
 * Records the requests of a Nest application on Express or Fastify in development, and gives the application back. Call it before
 * `init()` and `listen()`. Throws a TypeError for anything else.
 */
export function fanlight<Application extends { readonly getHttpAdapter: unknown; readonly useGlobalPipes: unknown }>(
  application: Application,
  options: IntegrationOptions = {},
): Application {
  return attachWhenOn('@nestjs/core', application, options)
}
