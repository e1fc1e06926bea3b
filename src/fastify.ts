// The public entry `fanlight/fastify`: requests of a Fastify application, recorded in development.

import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/** Records the requests of a Fastify application in development, and gives the application back. Call it before routes and plugins are added. Throws a TypeError for anything else. */
export function fanlight<Application extends { readonly addHook: unknown; readonly decorateRequest: unknown }>(
  application: Application,
  options: IntegrationOptions = {},
): Application {
  return attachWhenOn('fastify', application, options)
}
