// The public entry `fanlight/h3`: requests of an h3 application, recorded in development.

import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/** Records the requests of an h3 application on Node in development, and gives the application back. Call it before middleware is used. Throws a TypeError for anything else. */
export function fanlight<Application extends { readonly fetch: unknown; readonly mount: unknown }>(
  application: Application,
  options: IntegrationOptions = {},
): Application {
  return attachWhenOn('h3', application, options)
}
