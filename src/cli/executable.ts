// What the executable does with the process: its streams, its signals and its end.

import { Cli } from './cli.ts'
import { Terminal } from './terminal.ts'
import { Command, CommanderError } from 'commander'
import { packageVersion } from '../base/own-package.ts'
import { CliError, exitCodes, ProgramEnd } from './command.ts'
import { commandsFor } from './commands/all.ts'

/** Runs the command that the process was started with. */
export async function runExecutable(): Promise<void> {
  const terminal = new Terminal({ stdout: process.stdout, stderr: process.stderr, env: process.env })
  const stop = new AbortController()
  // A reader that goes away (`fanlight profiles list | head -1`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stop.abort()
  })
  /** The first signal ends the command in its own way, the second one the process. */
  const stopSignal = (): AbortSignal => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    return stop.signal
  }
  let mayHang = false
  const leavesNothingRunning = (): void => {
    mayHang = true
  }
  const cli = new Cli({ terminal, cwd: process.cwd(), env: process.env, stopSignal, leavesNothingRunning })
  process.exitCode = await runCli(process.argv.slice(2), cli)
  // Runs only where something else keeps the process alive.
  if (mayHang) setTimeout(exit, 100).unref()
}

/** Ends the process when all that was written has left: a pipe takes only so much until its reader has read. */
function exit(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

/** Runs `fanlight <args>` and gives its exit code: one of `exitCodes`, or that of a program it ran. Never rejects. */
export async function runCli(args: readonly string[], cli: Cli): Promise<number> {
  const program = await createProgram(cli, args)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error, cli, helpFor(program, args))
    return report(error, cli)
  }
}

/** The program with the commands that `words` may mean, the command line as it was typed. */
async function createProgram(cli: Cli, words: readonly string[]): Promise<Command> {
  const program = new Command('fanlight')
    .description(
      'Runs and manages a Fanlight application. Reads APP_*, or FANLIGHT_* where another framework is used, and .env files of the working directory.',
    )
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.terminal.lines([text.trimEnd()]),
      // Errors are reported by the caller, in one line and with an exit code.
      writeErr: () => undefined,
      outputError: () => undefined,
    })
    .addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 usage error, 3 not found.')
  for (const { register, isOfLibrary } of await commandsFor(words[0]))
    register(program, isOfLibrary === true ? cli.ofLibrary : cli, words)
  refuseRepeated(program)
  return program
}

/** A second value for an option would take the place of the first without a word. Options that gather values are variadic or have a parser. */
function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    if (option.variadic || option.parseArg !== undefined || (!option.required && !option.optional)) continue
    option.argParser((value) => {
      if (command.getOptionValueSource(option.attributeName()) !== 'cli') return value
      throw new CliError(`${option.long ?? option.flags} is given twice. Use it once.`, exitCodes.usage)
    })
  }
  for (const subcommand of command.commands) refuseRepeated(subcommand)
}

function report(error: unknown, cli: Cli): number {
  if (error instanceof ProgramEnd) return error.exitCode
  if (error instanceof CliError && error.report !== undefined) cli.terminal.report(error.report)
  else cli.terminal.error(messageOf(error))
  return error instanceof CliError ? error.exitCode : exitCodes.failed
}

/** The help for the command that the words name: `fanlight profiles list --help`. */
function helpFor(program: Command, words: readonly string[]): string {
  const named = ['fanlight']
  let command: Command | undefined = program
  for (const word of words) {
    command = command.commands.find((one) => one.name() === word)
    if (command === undefined) break
    named.push(word)
  }
  return `${named.join(' ')} --help`
}

function reportUsage(error: CommanderError, cli: Cli, help: string): number {
  if (error.exitCode === 0) return exitCodes.ok
  const isHelp = error.code === 'commander.help'
  const message = isHelp
    ? 'a command is missing'
    : error.message
        .replace(/^error: /, '')
        .replace(/\s+/g, ' ')
        .replace(/\.$/, '')
  cli.terminal.error(`${message}; see ${help}`)
  return exitCodes.usage
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : `a ${typeof error} was thrown`
  return message.split('\n')[0] ?? message
}
