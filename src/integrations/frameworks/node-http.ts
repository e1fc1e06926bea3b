// A bare server of node:http: its requests are recorded without a route and without steps.

import type { Integration } from '../integration.ts'
import { WrongApplicationError } from './wrong-application.ts'

export const nodeHttp: Integration = {
  framework: 'node:http',
  package: 'http',
  tested: [],
  attach(application) {
    // Importing them would load them in every process that is registered.
    const { Server } = process.getBuiltinModule('node:http')
    const { Server: SecureServer } = process.getBuiltinModule('node:https')
    if (application instanceof Server || application instanceof SecureServer) return
    throw new WrongApplicationError(
      'fanlight() of fanlight/http takes a server of node:http or node:https, made with createServer(); other frameworks have their own import',
    )
  },
}
