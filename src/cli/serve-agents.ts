// Serves the tools for agents on standard input and output, from the store of the working directory.

import { AgentError, quote, type AgentRoutes } from '../analysis/agents/tool.ts'
import { withLaterData } from '../profiles/later-data.ts'
import { agentServer, loadProtocol, loadStdioProtocol } from '../analysis/agents/agent-server.ts'
import type { RouteTrial } from '../profiles/query/route-table.ts'
import { readDatabaseThere } from '../analysis/replay/ask-replay.ts'
import type { ReplayOrder } from '../analysis/replay/replay.ts'
import type { Cli } from './cli.ts'
import { CliError, exitCodes } from './command.ts'
import { type RunningRoutes, askRunningApp, profilerHere, replayHere, routesAddress } from './running-app.ts'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

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
  await cli.withEngine(async ({ profiles, errorMarks }) => {
    const sources = {
      errorMarks,
      profiles: {
        find: profiles.find.bind(profiles),
        group: profiles.group.bind(profiles),
        gather: profiles.gather.bind(profiles),
        stats: profiles.stats.bind(profiles),
        read: async (token: string) => {
          const profile = await profiles.read(token)
          return profile === undefined ? undefined : withLaterData(profiles, profile)
        },
      },
      routes: agentRoutes(cli, options),
      ...(cli.context().sql === 'read' && { readDatabase: readDatabaseThere(() => profilerHere(cli, options.at)) }),
      replay: async (order: ReplayOrder) => replayHere(cli, options.at, order),
    }
    const onerror = ({ message }: Error): void => cli.terminal.error(message)
    const served = serveStdio(() => agentServer(protocol, sources), { onerror })
    const ends = ['end', 'close', 'error'].map(async (event) => once(process.stdin, event, { signal }))
    await Promise.race(ends).catch(() => undefined)
    await served.close()
  })
}

/** How long an application may take to start, in milliseconds. */
const patienceMs = 30_000
const maxOutputBytes = 32 * 1024 * 1024

/** Of an application that runs, or of the module: an application may have started since the last question. */
function agentRoutes(cli: Cli, options: AgentsOptions): AgentRoutes {
  const now = (): AgentRoutes => {
    const at = routesAddress(cli, options)
    return at === undefined ? ofModule(cli, options.module) : ofRunningApp(at)
  }
  return {
    list: async (signal) => now().list(signal),
    try: async (method, url, signal) => now().try(method, url, signal),
  }
}

function ofModule(cli: Cli, module: string): AgentRoutes {
  const run = async (command: string, words: readonly string[], signal: AbortSignal): Promise<unknown> => {
    const line = [command, '--json', '--module', module, '--', ...words]
    const { stdout, stderr, code, message = '' } = await runFanlight(cli, line, signal)
    const said = stderr.trim() || message
    if (code === exitCodes.usage) throw new AgentError('invalid_arguments', quote(said, 480))
    try {
      return JSON.parse(stdout)
    } catch (error) {
      const problem = `The routes of ${quote(module)} cannot be read: ${quote(said, 800)} Mend it, or start \`fanlight mcp --at <address>\`.`
      throw new AgentError('not_available', problem, { cause: error })
    }
  }
  return {
    list: async (signal) => (await run('routes', [], signal)) as Pick<RunningRoutes, 'routes' | 'problems'>,
    try: async (method, url, signal) => (await run('match', [method, url], signal)) as RouteTrial,
  }
}

interface RunOutput {
  readonly stdout: string
  readonly stderr: string
  /** Of a failure: the exit code, or why there is none. */
  readonly code?: number | string | null
  readonly message?: string
}

/** This very command line in another process. */
async function runFanlight({ cwd, env }: Cli, words: readonly string[], signal: AbortSignal): Promise<RunOutput> {
  const line = [...process.execArgv, process.argv[1] ?? '', ...words]
  const options = { cwd, env, signal, timeout: patienceMs, maxBuffer: maxOutputBytes }
  const running = promisify(execFile)(process.execPath, line, options)
  running.child.stdin?.end()
  return running.catch((error: RunOutput) => error)
}

function ofRunningApp(at: string): AgentRoutes {
  const ask = async (tried: { readonly method: string; readonly url: string } | null): Promise<RunningRoutes> => {
    try {
      return await askRunningApp(at, tried)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      throw new AgentError('not_available', `${quote(error.message, 480)} Start it, or try again.`, { cause: error })
    }
  }
  return {
    list: async () => ask(null),
    try: async (method, url) => (await ask({ method, url })).trial ?? { problem: 'The URL is empty.' },
  }
}
