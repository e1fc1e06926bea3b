// Serves the tools for agents on standard input and output, from the store of the working directory.

import { once } from 'node:events'
import { agentTools } from '../profiler/agents/all.ts'
import { WaitingRoom } from '../profiler/agents/waiting-room.ts'
import { agentServer } from '../profiler/mcp/agent-server.ts'
import { withBrowserData } from '../profiler/browser/read-browser-data.ts'
import { loadProtocol, loadStdioProtocol } from '../profiler/mcp/protocol.ts'
import { askReplay } from '../profiler/replay/ask-replay.ts'
import type { ReplayOrder } from '../profiler/replay/replay.ts'
import { agentRoutes } from './agent-routes.ts'
import type { Cli } from './cli.ts'
import { runningProfiler } from './commands/profiles-replay.ts'

export interface AgentsOptions {
  /** File that exports the front controller. */
  readonly module: string
  /** Address of a running application, which is asked instead. */
  readonly at?: string
}

/** Ends when standard input does. Throws where the package of the protocol is not installed, and for a store in memory. */
export async function serveAgents(cli: Cli, options: AgentsOptions): Promise<void> {
  const [protocol, { serveStdio }] = await Promise.all([loadProtocol(), loadStdioProtocol()])
  const signal = cli.stopSignal()
  await cli.withEngine(async ({ profiles }) => {
    const sources = {
      profiles: {
        find: profiles.find.bind(profiles),
        group: profiles.group.bind(profiles),
        stats: profiles.stats.bind(profiles),
        read: async (token: string) => {
          const profile = await profiles.read(token)
          return profile === undefined ? undefined : withBrowserData(profiles, profile)
        },
      },
      routes: agentRoutes(cli, options),
      waits: new WaitingRoom(),
      project: cli.cwd,
      replay: async (order: ReplayOrder) => askReplay(runningProfiler(cli, options.at), order),
    }
    const onerror = ({ message }: Error): void => cli.terminal.error(message)
    const served = serveStdio(() => agentServer({ protocol, tools: agentTools, sources }), { onerror })
    const ends = ['end', 'close', 'error'].map(async (event) => once(process.stdin, event, { signal }))
    await Promise.race(ends).catch(() => undefined)
    await served.close()
  })
}
