// Calls the tools for agents on a store in memory.

import type { AgentRoutes, AgentSources } from '../../src/analysis/agents/tool.ts'
import { agentTools } from '../../src/analysis/agents/agent-server.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { RouterView } from '../../src/profiles/router-view.ts'
import type { RouteCollection } from '../../src/routing/route-collection.ts'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import type { Engine } from '../../src/stores/engine.ts'
import { keepsOld } from './profiles.ts'

export interface AgentDesk {
  readonly engine: Engine
  /** What a tool says. Rejects with an AgentError. */
  ask(tool: string, args?: unknown, signal?: AbortSignal): Promise<string>
}

/** There is no application to send anything to. */
const replay: AgentSources['replay'] = async () => ({
  state: 'refused',
  reason: 'unreachable',
  problem: 'No application runs.',
  missing: [],
})

/** `profiles` are in the store; `routes` are those of the application. Default: none. */
export async function agentDesk(profiles: readonly Profile[] = [], routes?: RouteCollection): Promise<AgentDesk> {
  const engine = await openMemoryEngine(keepsOld)
  if (profiles.length > 0) await engine.profiles.write(profiles)
  const sources = { profiles: engine.profiles, routes: routesOf(routes), replay }
  return {
    engine,
    ask: async (name, args = {}, signal = new AbortController().signal) => {
      const tool = agentTools.find((one) => one.name === name)
      if (tool === undefined) throw new Error(`There is no tool ${name}`)
      return tool.call(args, { sources, signal })
    },
  }
}

function routesOf(routes: RouteCollection | undefined): AgentRoutes {
  const view = routes === undefined ? undefined : new RouterView(routes)
  return {
    list: async () => ({ routes: view?.list() ?? [], problems: view?.findings() ?? [] }),
    try: async (method, url) =>
      view?.try(method, url, { scheme: 'http', host: '127.0.0.1', port: 8000 }) ?? { problem: 'There are no routes.' },
  }
}
