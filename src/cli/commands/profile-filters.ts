// The filter options that `profiles list`, `tail` and the questions share.

import type { Command } from 'commander'
import { filterNames, filters, readFilter, type FilterName, type ProfileFilter } from '../../profiles/query/filters.ts'
import { CliError, exitCodes } from '../command.ts'

/** By the names that commander gives options: `minDuration`. */
export type ProfileFilterOptions = Readonly<Record<string, string | true | undefined>>

export function withFilters(command: Command): Command {
  for (const name of filterNames) {
    const { asked, help } = filters[name]
    command.option(asked === undefined ? `${optionOf(name)} <value>` : optionOf(name), asked?.[1] ?? help)
  }
  return command
}

/** The filter. Throws a usage error for a value that cannot be used. */
export function toFilter(typed: ProfileFilterOptions): ProfileFilter {
  return readFilter((name) => {
    const value = typedOption(typed, optionOf(name).slice(2))
    return value === true ? filters[name].asked?.[0] : value
  }, refuse)
}

/** What was typed for `--min-duration`, by `min-duration`. */
export function typedOption(typed: ProfileFilterOptions, name: string): string | true | undefined {
  return typed[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
}

/** The filter of one option. Throws a usage error for a value that cannot be used. */
export function readOption(option: string, name: FilterName, value: string): ProfileFilter {
  const read = filters[name].read(value)
  if ('problem' in read) throw usage(option, read.problem)
  return read.filter
}

function optionOf(name: FilterName): string {
  return `--${filters[name].option ?? name}`
}

function refuse(name: FilterName, problem: string): never {
  throw usage(optionOf(name), problem)
}

function usage(option: string, problem: string): CliError {
  return new CliError(`${option}: ${problem}`, exitCodes.usage)
}
