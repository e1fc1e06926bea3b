// The shape of a command, so that a new one is a file in commands/ and a line in its list.

import type { Command } from 'commander'
import type { Cli } from './cli.ts'
import { readInstant } from '../profiler/query/filters.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { defaultModule } from './front-controller.ts'

/** Adds a command, with its subcommands, to the program. `words` is the command line as it was typed. */
export type RegisterCommand = (program: Command, cli: Cli, words: readonly string[]) => void

/** Adds `--json` to a command that prints something. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document')
}

/** Adds `--module` to a command that looks at an application. */
export function withModule(command: Command): Command {
  return command.option('--module <file>', 'file that exports the front controller', defaultModule)
}

/** The usage error of an argument or option: names it, the value, and what is allowed. */
export function usageError(name: string, value: string, allowed: string): CliError {
  return new CliError(`${name} is ${JSON.stringify(value)}; allowed is ${allowed}`, exitCodes.usage)
}

/** Reads a whole number from `least` to `most`. Throws a usage error. */
export function wholeNumber(name: string, value: string, least: number, most: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number
  throw usageError(name, value, `a whole number from ${least} to ${most}`)
}

/** Reads a time, `2026-11-21T10:00:00Z` or a day `2026-11-21` (UTC), as milliseconds since 1970. Throws a usage error. */
export function instant(name: string, value: string): number {
  const time = readInstant(value)
  if (time !== undefined) return time
  throw usageError(name, value, 'a time as "2026-11-21T10:00:00Z" or a day as "2026-11-21"')
}
