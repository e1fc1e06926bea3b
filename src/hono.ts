// The public entry `fanlight/hono`: requests of a Hono application, recorded in development.

import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/** Records the requests of a Hono application on Node in development, and gives the application back. Call it before `serve()`. Throws a TypeError for anything else. */
export function fanlight<Application extends { readonly fetch: unknown; readonly basePath: unknown }>(
  application: Application,
  options: IntegrationOptions = {},
): Application {
  return attachWhenOn('hono', application, options)
}
