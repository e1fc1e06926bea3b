// `fanlight run`: runs a command of the application, or after `--` any program; in debug recorded like a request.

import type { Command } from 'commander'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { Cli } from '../cli.ts'
import { withModule, CliError, exitCodes } from '../command.ts'
import { withStoredApp } from '../front-controller.ts'
import { runProgram } from '../program/run-program.ts'

export function registerRun(program: Command, cli: Cli, words: readonly string[]): void {
  withModule(program.command('run'))
    .usage('[options] <name> [args...]\n       fanlight run -- <program> [args...]')
    .description(
      'run a command of the application, or any program after --; in debug its profile is stored. Exits with 1 if a command\nfails, and with the exit code of the program',
    )
    .argument('<name>', 'name of the command, from the "commands" option of createApp()')
    .argument('[args...]', 'passed on unchanged; put -- before arguments that start with a dash')
    .action((name: string, args: readonly string[], { module }: { readonly module: string }) => {
      // Everything to run comes after `--`.
      if (words.at(-2 - args.length) === '--') return runProgram(cli, [name, ...args])
      return runCommand(cli, module, name, args)
    })
}

async function runCommand(cli: Cli, module: string, name: string, args: readonly string[]): Promise<void> {
  await withStoredApp(cli, module, name, async (app) => {
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
    if (exitCode !== 0) throw new CliError(`${name} exited with ${exitCode}`)
  })
}
