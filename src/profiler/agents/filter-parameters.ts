// The filters of the list as parameters of a tool.

import type { ProfileFilter } from '../profile-store.ts'
import { filterNames, filters, type FilterName } from '../query/filters.ts'
import { AgentError } from './agent-error.ts'
import { text, type Parameter } from './parameters.ts'

type FilterParameters = Readonly<Record<FilterName, Parameter<string, false>>>

export const filterParameters: FilterParameters = Object.freeze(
  Object.fromEntries(
    filterNames.map((name) => [name, text(`${filters[name].label}: ${filters[name].use}`, filters[name].use)]),
  ),
) as FilterParameters

/** The filter. Throws an AgentError that names the parameter and says what to use. */
export function readFilter(values: Readonly<Partial<Record<FilterName, string | undefined>>>): ProfileFilter {
  const filter: ProfileFilter = {}
  for (const name of filterNames) {
    const value = values[name]
    if (value === undefined) continue
    const read = filters[name].read(value)
    if ('problem' in read) throw new AgentError('invalid_arguments', `\`${name}\`: ${read.problem}`)
    Object.assign(filter, read.filter)
  }
  const { since, until } = filter
  if (since !== undefined && until !== undefined && since >= until) {
    throw new AgentError('invalid_arguments', '`since` is not before `until`. Use an earlier time.')
  }
  return filter
}
