// The public entry `fanlight/http`: requests of a bare server of node:http, recorded in development.

import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { IntegrationOptions } from './integrations/options.ts'
import { attachWhenOn } from './integrations/switch.ts'

export type { IntegrationOptions } from './integrations/options.ts'

/** Records the requests of a server in development, and gives the server back. Throws a TypeError for anything else. */
export function fanlight<Given extends Server | SecureServer>(server: Given, options: IntegrationOptions = {}): Given {
  return attachWhenOn('http', server, options)
}
