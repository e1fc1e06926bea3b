// The routes of a project for tools that run for hours: each time from a new process, so that they are those of the code as it
// is now, or from the application that runs.

import { execFile } from 'node:child_process'
import { AgentError } from '../profiler/agents/agent-error.ts'
import type { AgentRoutes } from '../profiler/agents/tool.ts'
import { quote } from '../profiler/agents/quote.ts'
import type { RouteTrial } from '../profiler/query/route-table.ts'
import type { Cli } from './cli.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { askRunningApp, type RunningRoutes } from './running-app.ts'

/** How long an application may take to start, in milliseconds. */
const patienceMs = 30_000
const maxOutputBytes = 32 * 1024 * 1024

/** `at`: address of a running application. Default: the application of the module. */
export function agentRoutes(cli: Cli, { module, at }: { readonly module: string; readonly at?: string }): AgentRoutes {
  return at === undefined ? ofModule(cli, module) : ofRunningApp(at)
}

function ofModule(cli: Cli, module: string): AgentRoutes {
  const run = async (command: string, words: readonly string[], signal: AbortSignal): Promise<unknown> => {
    const line = [command, '--json', '--module', module, '--', ...words]
    const { stdout, stderr, exitCode } = await runFanlight(cli, line, signal)
    if (exitCode === exitCodes.usage) throw new AgentError('invalid_arguments', quote(stderr, 120))
    try {
      return JSON.parse(stdout) as unknown
    } catch (error) {
      const problem = `The routes of ${quote(module)} cannot be read: ${quote(stderr, 200)} Mend it, or start \`fanlight mcp --at <address>\`.`
      throw new AgentError('not_available', problem, { cause: error })
    }
  }
  return {
    list: async (signal) => {
      const { routes, problems } = (await run('routes', [], signal)) as Pick<RunningRoutes, 'routes' | 'problems'>
      return { routes, findings: problems }
    },
    try: async (method, url, signal) => (await run('match', [method, url], signal)) as RouteTrial,
  }
}

interface RunOutput {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** This very command line in another process. */
async function runFanlight({ cwd, env }: Cli, words: readonly string[], signal: AbortSignal): Promise<RunOutput> {
  const [, executable = ''] = process.argv
  const options = { cwd, env, signal, timeout: patienceMs, maxBuffer: maxOutputBytes }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...process.execArgv, executable, ...words],
      options,
      (error, stdout, stderr) => {
        const said = stderr.trim() === '' && error !== null ? error.message : stderr.trim()
        resolve({ stdout, stderr: said, exitCode: child.exitCode ?? exitCodes.failed })
      },
    )
    child.stdin?.end()
  })
}

function ofRunningApp(at: string): AgentRoutes {
  const ask = async (tried: { readonly method: string; readonly url: string } | null): Promise<RunningRoutes> => {
    try {
      return await askRunningApp(at, tried)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      throw new AgentError('not_available', `${quote(error.message, 120)} Start it, or try again.`, { cause: error })
    }
  }
  return {
    list: async () => {
      const { routes, problems } = await ask(null)
      return { routes, findings: problems }
    },
    try: async (method, url) => (await ask({ method, url })).trial ?? { problem: 'The URL is empty.' },
  }
}
