// The filter options that `profiles list`, `tail`, `groups` and `compare-runs` share.

import { Option, type Command } from 'commander'
import { findingNames } from '../../profiler/profile.ts'
import type { ProfileFilter } from '../../profiler/profile-store.ts'
import { filters, type FilterName } from '../../profiler/query/filters.ts'
import { CliError, exitCodes } from '../command.ts'

interface FilterOption {
  readonly flags: string
  readonly help: string
  readonly name: FilterName
  /** The value of an option without one. */
  readonly value?: string
}

const options: readonly FilterOption[] = [
  { flags: '--method <method>', help: 'GET, POST …', name: 'method' },
  { flags: '--status <status>', help: 'a status or a class: 404, 4xx, 0 (no response)', name: 'status' },
  {
    flags: '--search <text>',
    help: 'part of the URL, an error, the log, a body, a dump, a query or an outgoing request',
    name: 'search',
  },
  { flags: '--url <part>', help: 'part of the URL', name: 'url' },
  { flags: '--route <name>', help: 'name of the matched route', name: 'route' },
  { flags: '--ip <address>', help: 'address of the client', name: 'ip' },
  { flags: '--since <time>', help: 'from this time or day', name: 'since' },
  { flags: '--until <time>', help: 'before this time or day', name: 'until' },
  { flags: '--min-duration <ms>', help: 'at least this long', name: 'duration' },
  { flags: '--errors', help: 'only those that threw', name: 'error', value: 'yes' },
  { flags: '--redirects', help: 'only redirects', name: 'redirect', value: 'yes' },
  { flags: '--type <type>', help: 'request, command, job, task or all', name: 'type' },
  { flags: '--unmatched', help: 'only those that matched no route', name: 'matched', value: 'no' },
  { flags: '--app-version <version>', help: 'version of the application', name: 'version' },
  { flags: '--service <name>', help: 'name of the application', name: 'service' },
  { flags: '--tag <name>', help: 'only those with this tag', name: 'tag' },
  { flags: '--finding <name>', help: `only those with a finding: ${findingNames.join(', ')}`, name: 'finding' },
  { flags: '--family <name>', help: 'error family, as "profiles list --json" shows it', name: 'family' },
  { flags: '--trace <id>', help: 'only those of this trace (W3C Trace Context)', name: 'trace' },
  { flags: '--parent <token>', help: 'sub-requests of this profile', name: 'parent' },
]

/** By the names that commander gives options: `minDuration`. */
export type ProfileFilterOptions = Readonly<Record<string, string | true | undefined>>

export function withFilters(command: Command): Command {
  for (const { flags, help } of options) command.option(flags, help)
  return command
}

/** The filter. Throws a usage error for a value that cannot be used. */
export function toFilter(typed: ProfileFilterOptions): ProfileFilter {
  const filter: ProfileFilter = {}
  for (const { flags, name, value: fixed } of options) {
    const option = new Option(flags)
    const value = typed[option.attributeName()]
    if (value !== undefined) Object.assign(filter, readOption(option.long ?? flags, name, fixed ?? `${value}`))
  }
  const { since, until } = filter
  if (since !== undefined && until !== undefined && since >= until) {
    throw usage('--since', `${JSON.stringify(typed['since'])} is not before ${JSON.stringify(typed['until'])}.`)
  }
  return filter
}

/** The filter of one option. Throws a usage error for a value that cannot be used. */
export function readOption(option: string, name: FilterName, value: string): ProfileFilter {
  const read = filters[name].read(value)
  if ('problem' in read) throw usage(option, read.problem)
  return read.filter
}

function usage(option: string, problem: string): CliError {
  return new CliError(`${option}: ${problem}`, exitCodes.usage)
}
