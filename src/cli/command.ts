// The shape of a command, so that a new one is a file in commands/ and a line in its list.

import type { Command } from 'commander'
import type { Cli } from './cli.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { defaultModule } from './front-controller.ts'

/** Adds a command, with its subcommands, to the program. `words` is the command line as it was typed. */
export type RegisterCommand = (program: Command, cli: Cli, words: readonly string[]) => void

export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document')
}

export function withModule(command: Command): Command {
  return command.option('--module <file>', 'file that exports the front controller', defaultModule)
}

/** The usage error of an argument or option: names it, the value, and what is allowed. */
export function usageError(name: string, value: string, allowed: string): CliError {
  return new CliError(`${name}: ${JSON.stringify(value)} is not valid. Use ${allowed}.`, exitCodes.usage)
}

/** One of several names. Throws a usage error. */
export function oneOf<Name extends string>(option: string, value: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === value)
  if (found !== undefined) return found
  throw usageError(option, value, names.join(', '))
}

/** Reads a whole number from `least` to `most`. Throws a usage error. */
export function wholeNumber(name: string, value: string, least: number, most: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number
  throw usageError(name, value, `a whole number from ${least} to ${most}`)
}
