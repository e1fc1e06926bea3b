// `fanlight run`: runs a command of the application, recorded in debug like a request.

import type { Command } from 'commander'
import { describeFailure } from '../../kernel/describe-failure.ts'
import type { Cli } from '../cli.ts'
import { withModule } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { withStoredApp } from '../front-controller.ts'

/** Adds `run`. */
export function registerRun(program: Command, cli: Cli): void {
  withModule(program.command('run'))
    .description('run a command of the application; in debug its profile is kept. Ends with 1 where the command fails')
    .argument('<name>', 'name of the command, as the option "commands" of createApp() has it')
    .argument('[args...]', 'handed to the command as they are; put -- before those that begin with a dash')
    .action((name: string, args: readonly string[], { module }: { readonly module: string }) =>
      runCommand(cli, module, name, args),
    )
}

async function runCommand(cli: Cli, module: string, name: string, args: readonly string[]): Promise<void> {
  await withStoredApp(cli, module, async (app) => {
    const { commandNames } = app
    if (!commandNames.includes(name)) {
      const known = commandNames.length === 0 ? 'the application has none' : `there are: ${commandNames.join(', ')}`
      throw new CliError(`there is no command ${JSON.stringify(name.slice(0, 60))}; ${known}`, exitCodes.notFound)
    }
    const { exitCode, token, failure } = await app.runCommand(name, args)
    if (token !== null) cli.terminal.error(`profile ${token}: fanlight profiles show ${token}`)
    if (failure !== null) {
      const { errorClass, message } = describeFailure(failure.thrown)
      throw new CliError(`${name} failed: ${errorClass}: ${message}`)
    }
    if (exitCode !== 0) throw new CliError(`${name} ended with ${exitCode}`)
  })
}
