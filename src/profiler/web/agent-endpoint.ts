// `/_profiler/mcp`: the tools for agents over HTTP. Access is decided before; each request has a server of its own.

import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { HttpError } from '../../framework/http/http-error.ts'
import type { Reply } from '../../framework/http/reply.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import { lazy } from '../../framework/kernel/lazy.ts'
import { AgentError } from '../agents/agent-error.ts'
import type { AgentRoutes } from '../agents/agent-routes.ts'
import { agentTools } from '../agents/all.ts'
import { BoundedRoom } from '../agents/waiting-room.ts'
import { agentServer } from '../mcp/agent-server.ts'
import { loadProtocol } from '../mcp/protocol.ts'
import type { RouteTableSource } from '../query/route-table.ts'
import type { ProfilerControllerOptions } from './profiler-page.ts'
import { profilerForwarded, profilerJson } from './profiler-reply.ts'

/** Bytes of a message at most: arguments of tools are short. */
const maxMessageBytes = 1024 * 1024
/** Streams that wait for news of lists at a time. Ours never change. */
const maxStreams = 16

export class AgentEndpoint {
  readonly #options: ProfilerControllerOptions
  readonly #waits = new BoundedRoom()
  readonly #handler = lazy(async () => this.#start())

  constructor(options: ProfilerControllerOptions) {
    this.#options = options
  }

  /** 405 for everything but POST, 501 where the package of the protocol is not installed, 413 for a message that is too long. */
  async answer({ request, signal }: Pick<Exchange, 'request' | 'signal'>): Promise<Reply> {
    if (request.method !== 'POST') {
      return profilerJson(405, { error: 'Send messages of the Model Context Protocol with POST.' }).setHeader(
        'allow',
        'POST',
      )
    }
    try {
      request.body.limitTo(maxMessageBytes)
      const handler = await this.#handler()
      return profilerForwarded(await handler.fetch(new Request(request.toFetch(), { signal })))
    } catch (error) {
      if (error instanceof AgentError) return profilerJson(501, { error: error.message })
      if (error instanceof HttpError) return profilerJson(error.statusCode, { error: error.message })
      throw error
    }
  }

  async #start(): Promise<McpHttpHandler> {
    const protocol = await loadProtocol()
    const { profiles, routes, projectRoot = null } = this.#options
    const make = ({ requestInfo }: { readonly requestInfo?: Request }): ReturnType<typeof agentServer> =>
      agentServer({
        protocol,
        tools: agentTools,
        sources: { profiles, routes: routesOf(routes, requestInfo), waits: this.#waits, project: projectRoot },
      })
    return protocol.createMcpHandler(make, { maxRequestBodySize: maxMessageBytes, maxSubscriptions: maxStreams })
  }
}

/** The routes of the running application. Paths are tried on the host that the client asked. */
function routesOf(routes: RouteTableSource | undefined, request: Request | undefined): AgentRoutes {
  const { protocol, hostname, port } = new URL(request?.url ?? 'http://localhost')
  const scheme = protocol === 'https:' ? 'https' : 'http'
  const base = { scheme, host: hostname, port: Number(port) || (scheme === 'https' ? 443 : 80) } as const
  const known = (): RouteTableSource => {
    if (routes !== undefined) return routes
    throw new AgentError('not_available', 'The routes of this application are not known.')
  }
  return {
    list: async () => ({ routes: known().list(), findings: known().findings() }),
    try: async (method, url) => known().try(method, url, base),
  }
}
