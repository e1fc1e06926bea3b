// `/_profiler/mcp`: the tools for agents over HTTP. Access is decided before; each request has its own server.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { McpHttpHandler, McpServer } from '@modelcontextprotocol/server'
import { HttpError } from '../../base/http/http-error.ts'
import type { Reply } from '../../base/http/reply.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { lazy } from '../../http/kernel/lazy.ts'
import { AgentError, type AgentRoutes, type AgentSources } from './tool.ts'
import { agentServer, loadProtocol } from './agent-server.ts'
import type { RouteTableSource, TrialBase } from '../../profiles/query/route-table.ts'
import { replay, type ReplayOrder, type ReplayAnswer } from '../replay/replay.ts'
import { ownAddress } from '../replay/send-replay.ts'
import { isFromHere } from '../../pages/access.ts'
import type { ProfilerControllerOptions } from '../../pages/profiler-page.ts'
import { profilerForwarded, profilerJson } from '../../pages/profiler-reply.ts'

/** Bytes of a message at most: arguments of tools are short. */
const maxMessageBytes = 1024 * 1024
/** Streams that wait for news of lists at a time. Ours never change. */
const maxStreams = 16

export class AgentEndpoint {
  readonly #options: ProfilerControllerOptions
  /** What a server is made for: the package only passes the message on. */
  readonly #exchange = new AsyncLocalStorage<Exchange>()
  readonly #handler = lazy(async () => this.#start())

  constructor(options: ProfilerControllerOptions) {
    this.#options = options
  }

  /** 405 for everything but POST, 501 if the package of the protocol is not installed, 413 for a message that is too long. */
  async answer(exchange: Exchange): Promise<Reply> {
    const { request, signal } = exchange
    if (request.method !== 'POST') {
      return profilerJson(405, { error: 'Send messages of the Model Context Protocol with POST.' }).setHeader(
        'allow',
        'POST',
      )
    }
    try {
      request.body.limitTo(maxMessageBytes)
      const handler = await this.#handler()
      const message = new Request(request.toFetch(), { signal })
      return profilerForwarded(await this.#exchange.run(exchange, () => handler.fetch(message)))
    } catch (error) {
      if (error instanceof AgentError) return profilerJson(501, { error: error.message })
      if (error instanceof HttpError) return profilerJson(error.statusCode, { error: error.message })
      throw error
    }
  }

  async #start(): Promise<McpHttpHandler> {
    const protocol = await loadProtocol()
    const make = (): McpServer => agentServer(protocol, this.#sources(this.#exchange.getStore()))
    return protocol.createMcpHandler(make, { maxRequestBodySize: maxMessageBytes, maxSubscriptions: maxStreams })
  }

  #sources(exchange: Exchange | undefined): AgentSources {
    const { profiles, errorMarks, routeTable, readDatabase } = this.#options
    const isHere = exchange !== undefined && isFromHere(exchange.request)
    return {
      profiles,
      ...(errorMarks !== undefined && { errorMarks }),
      routes: routesOf(routeTable, exchange?.request ?? { scheme: 'http', host: 'localhost', port: 80 }),
      ...(readDatabase !== undefined && isHere && { readDatabase }),
      replay: async (order) => this.#replay(order, exchange),
    }
  }

  async #replay(order: ReplayOrder, exchange: Exchange | undefined): Promise<ReplayAnswer> {
    const { replays, profiles, profilerPath } = this.#options
    if (replays === undefined || exchange === undefined || !isFromHere(exchange.request)) {
      throw new AgentError('refused', 'Only clients on this machine may have a request sent again.')
    }
    return replay(order, { ...replays, profiles, profilerPath, address: ownAddress(exchange.client) })
  }
}

/** The routes of the running application. Paths are tried on the host that the client asked. */
function routesOf(routes: RouteTableSource | undefined, base: TrialBase): AgentRoutes {
  const known = (): RouteTableSource => {
    if (routes !== undefined) return routes
    throw new AgentError('not_available', 'The routes of this application are not known.')
  }
  return {
    list: async () => ({ routes: known().list(), problems: known().findings() }),
    try: async (method, url) => known().try(method, url, base),
  }
}
