// Every integration.

import type { Integration } from '../integration.ts'
import { express } from './express.ts'
import { fastify } from './fastify.ts'
import { h3 } from './h3.ts'
import { hono } from './hono.ts'
import { koa } from './koa.ts'
import { nest } from './nest.ts'
import { WrongApplicationError } from './wrong-application.ts'

/** A bare server of `node:http`: its requests are recorded without a route and without steps. */
const nodeHttp: Integration = {
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

/** By the package of their framework. */
export const integrations: readonly Integration[] = [express, fastify, h3, hono, koa, nest, nodeHttp]
