// A bare server of node:http: its requests are recorded without a route and without steps.

import { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Integration } from '../integration.ts'

export const nodeHttp: Integration = {
  framework: 'node:http',
  package: 'http',
  tested: ['24.18.1', '24.21.0'],
  attach(application) {
    if (application instanceof Server || application instanceof SecureServer) return
    throw new TypeError(
      'fanlight() of fanlight/http takes a server of node:http or node:https, made with createServer(); other frameworks have their own import',
    )
  },
}
