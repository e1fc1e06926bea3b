// The filter options that `profiles list`, `tail`, `groups` and `compare-runs` share.

import type { Command } from 'commander'
import { findingNames } from '../../profiler/profile.ts'
import type { ProfileFilter } from '../../profiler/profile-store.ts'
import { filters, type FilterName } from '../../profiler/query/filters.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

type OptionKey =
  | 'method'
  | 'status'
  | 'url'
  | 'route'
  | 'ip'
  | 'since'
  | 'until'
  | 'minDuration'
  | 'errors'
  | 'redirects'
  | 'type'
  | 'unmatched'
  | 'appVersion'
  | 'finding'
  | 'family'
  | 'trace'
  | 'parent'

interface FilterOption {
  readonly flags: string
  readonly help: string
  readonly name: FilterName
  /** What an option without a value stands for. */
  readonly value?: string
}

const options: Readonly<Record<OptionKey, FilterOption>> = {
  method: { flags: '--method <method>', help: 'GET, POST …', name: 'method' },
  status: { flags: '--status <status>', help: 'a status or a class: 404, 4xx, 0 (no response)', name: 'status' },
  url: { flags: '--url <part>', help: 'part of the URL', name: 'url' },
  route: { flags: '--route <name>', help: 'name of the matched route', name: 'route' },
  ip: { flags: '--ip <address>', help: 'address of the client', name: 'ip' },
  since: { flags: '--since <time>', help: 'from this time or day', name: 'since' },
  until: { flags: '--until <time>', help: 'before this time or day', name: 'until' },
  minDuration: { flags: '--min-duration <ms>', help: 'at least this long', name: 'duration' },
  errors: { flags: '--errors', help: 'only those that threw', name: 'error', value: 'yes' },
  redirects: { flags: '--redirects', help: 'only redirects', name: 'redirect', value: 'yes' },
  type: { flags: '--type <type>', help: 'request or command', name: 'type' },
  unmatched: { flags: '--unmatched', help: 'only those that matched no route', name: 'matched', value: 'no' },
  appVersion: { flags: '--app-version <version>', help: 'version of the application (APP_VERSION)', name: 'version' },
  finding: {
    flags: '--finding <name>',
    help: `only those with a finding: ${findingNames.join(', ')}`,
    name: 'finding',
  },
  family: { flags: '--family <name>', help: 'error family, as "profiles list --json" shows it', name: 'family' },
  trace: { flags: '--trace <id>', help: 'only those of this trace (W3C Trace Context)', name: 'trace' },
  parent: { flags: '--parent <token>', help: 'sub-requests of this profile', name: 'parent' },
}

export type ProfileFilterOptions = Readonly<Partial<Record<OptionKey, string | true>>>

export function withFilters(command: Command): Command {
  for (const { flags, help } of Object.values(options)) command.option(flags, help)
  return command
}

/** The filter. Throws a usage error for a value that cannot be used. */
export function toFilter(typed: ProfileFilterOptions): ProfileFilter {
  const filter: ProfileFilter = {}
  const values = new Map(Object.entries(typed))
  for (const [key, option] of Object.entries(options)) {
    const value = values.get(key)
    if (value === undefined) continue
    Object.assign(filter, readOption(optionName(option.flags), option.name, option.value ?? `${value}`))
  }
  const { since, until } = filter
  if (since !== undefined && until !== undefined && since >= until) {
    throw usage('--since', `${JSON.stringify(typed.since)} is not before ${JSON.stringify(typed.until)}.`)
  }
  return filter
}

/** The filter of one option. Throws a usage error for a value that cannot be used. */
export function readOption(option: string, name: FilterName, value: string): ProfileFilter {
  const read = filters[name].read(value)
  if ('problem' in read) throw usage(option, read.problem)
  return read.filter
}

function optionName(flags: string): string {
  return flags.split(' ', 1)[0] ?? flags
}

function usage(option: string, problem: string): CliError {
  return new CliError(`${option}: ${problem}`, exitCodes.usage)
}
