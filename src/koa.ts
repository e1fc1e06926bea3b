// The public entry `fanlight/koa`: requests of a Koa application, recorded in development.

import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/** Records the requests of a Koa application in development, and gives the application back. Call it before `listen()` or `callback()`. Throws a TypeError for anything else. */
export function fanlight<Application extends { readonly middleware: unknown; callback: unknown }>(
  application: Application,
  options: IntegrationOptions = {},
): Application {
  return attachWhenOn('koa', application, options)
}
