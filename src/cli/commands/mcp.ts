// `fanlight mcp`: the tools for agents on standard input and output. Reads the store; no application has to run.

import { Option, type Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes, withModule } from '../command.ts'
import { agentNames, agentsOf, plannedFiles, writeFiles, type Agent } from '../install-agents.ts'
import { withAddress } from '../running-app.ts'
import type { AgentsOptions } from '../serve-agents.ts'

interface McpOptions extends AgentsOptions {
  /** `true`: those that the project uses. */
  readonly install?: true | readonly Agent[]
  readonly dryRun?: true
}

export function registerMcp(program: Command, cli: Cli): void {
  withAddress(withModule(program.command('mcp')))
    .description('serve profiles to agents (Model Context Protocol) on standard input and output; reads the store')
    .addOption(
      new Option(
        '--install [agents...]',
        'name the tools in the configuration of agents of this project in place of serving; default: those that this project has files of',
      ).choices(agentNames),
    )
    .option('--dry-run', 'with --install: print what would be written')
    .action(async (options: McpOptions) => {
      if (options.install !== undefined) return install(cli, options.install, options.dryRun === true)
      if (options.dryRun === true) throw new CliError('--dry-run needs --install', exitCodes.usage)
      // No other command needs the tools.
      const { serveAgents } = await import('../serve-agents.ts')
      return serveAgents(cli, options)
    })
}

async function install({ cwd, terminal }: Cli, agents: true | readonly Agent[], isDry: boolean): Promise<void> {
  const files = plannedFiles(cwd, agents === true ? agentsOf(cwd) : agents)
  if (isDry)
    return terminal.lines(files.flatMap(({ file, text }) => [terminal.tone('strong', file), ...text.split('\n')]))
  writeFiles(cwd, files)
  const words = { new: 'written', changed: 'entry added', kept: 'has it' }
  terminal.lines(files.map(({ file, state }) => `${file}: ${words[state]}`))
  const { loadProtocol } = await import('../../analysis/agents/agent-server.ts')
  await loadProtocol().catch(({ message }: Error) => terminal.error(message))
}
