// `fanlight mcp`: the tools for agents on standard input and output. Reads the store; no application has to run.

import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withModule } from '../command.ts'
import { withAddress } from '../running-app.ts'
import type { AgentsOptions } from '../serve-agents.ts'

export function registerMcp(program: Command, cli: Cli): void {
  withAddress(withModule(program.command('mcp')))
    .description('serve profiles to agents (Model Context Protocol) on standard input and output; reads the store')
    .action(async (options: AgentsOptions) => {
      // No other command needs the tools.
      const { serveAgents } = await import('../serve-agents.ts')
      await serveAgents(cli, options)
    })
}
