// Every integration, by the package of its framework.

import type { Integration } from '../integration.ts'
import { express } from './express.ts'
import { fastify } from './fastify.ts'
import { h3 } from './h3.ts'
import { hono } from './hono.ts'
import { koa } from './koa.ts'
import { nest } from './nest.ts'
import { nodeHttp } from './node-http.ts'

export const integrations: readonly Integration[] = [express, fastify, h3, hono, koa, nest, nodeHttp]
