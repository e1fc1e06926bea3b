// Commands of an application: work that is started by hand or by a timer, with arguments and an exit code in place of a
// request and a response.

import { didYouMean, describe } from '../../base/options/check-options.ts'
import type { Awaitable } from '../../base/members.ts'
import type { Logger } from '../../base/log/logger.ts'
import { nameError } from '../../base/http/http-error.ts'

/** What a command gets. */
interface CommandInput {
  /** What was typed after the name. */
  readonly args: readonly string[]
  /** Writes into the profile of this run, if it is recorded, and the process log. */
  readonly log: Logger
}

/** A command. Gives its exit code, or nothing for 0; whatever it throws ends it with 1. */
export type CommandHandler = (input: CommandInput) => Awaitable<number | void>

/** A command that needs plugins. */
interface NeedingCommand {
  /** Names of the plugins that are started before it runs. */
  readonly plugins: readonly string[]
  readonly run: CommandHandler
}

/** Commands by their names: `{ tidy, 'send-mails': { plugins: ['mail'], run: sendMails } }`. */
export type Commands = Readonly<Record<string, CommandHandler | NeedingCommand>>

/** Commands as they are run, by their names. */
export type KnownCommands = Readonly<Record<string, NeedingCommand>>

/** How a run of a command is named. */
export interface CommandStart {
  readonly name: string
  readonly args?: readonly string[]
}

/** Records runs of commands. */
export interface CommandRecorder {
  /** Does the work as a recorded run. Gives what it gives and throws what it throws. `token` is told before it begins. */
  record<Result>(
    command: CommandStart,
    work: (log: Logger) => Awaitable<Result>,
    begun: (token: string) => void,
  ): Promise<Result>
}

/** What became of a run. */
export interface CommandRun {
  readonly exitCode: number
  /** Token of its profile; `null` if nothing is recorded. */
  readonly token: string | null
  readonly failure: { readonly thrown: unknown } | null
}

class UnknownCommandError extends Error {
  readonly code = 'ERR_UNKNOWN_COMMAND'
}
nameError(UnknownCommandError)

/** The commands of all plugins. A plugin's own command needs it. Throws a TypeError for what is no command and for a plugin that is not there. */
export function readCommands(
  plugins: readonly { readonly name: string; readonly commands?: Commands | undefined }[],
): KnownCommands {
  const names = plugins.map(({ name }) => name)
  const known: Record<string, NeedingCommand> = {}
  for (const { name: owner, commands = {} } of plugins) {
    for (const [name, command] of Object.entries(commands)) {
      const { plugins: needed, run } = typeof command === 'function' ? { plugins: [], run: command } : { ...command }
      if (typeof run !== 'function' || !Array.isArray(needed))
        throw new TypeError(`Command "${name}" is ${describe(command)}; allowed: a function, or { plugins: […], run }`)
      const missing = needed.find((one) => !names.includes(one))
      if (missing !== undefined)
        throw new TypeError(`Command "${name}" names an unknown plugin, "${missing}".${didYouMean(missing, names)}`)
      known[name] = { plugins: [owner, ...needed], run }
    }
  }
  return known
}

/** The command of a name. Throws an `UnknownCommandError` that names the near one and those there are. */
export function findCommand(commands: KnownCommands, name: string): CommandHandler {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) return command.run
  const names = Object.keys(commands)
  const known = names.length === 0 ? 'The application has no commands.' : `There are: ${names.join(', ')}`
  throw new UnknownCommandError(`There is no command ${JSON.stringify(name)}.${didYouMean(name, names)} ${known}`)
}
