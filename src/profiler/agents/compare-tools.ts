// Tools that compare requests, and runs of the application.

import { findRuns, namedOrNull, readRuns, type RunScope } from '../compare/read-runs.ts'
import { readComparison } from '../compare/read-comparison.ts'
import { compareMarkdown } from '../query/compare-markdown.ts'
import { countedProfiles } from '../query/groups.ts'
import { nothingFound, runsMarkdown } from '../query/runs-markdown.ts'
import { AgentError } from './agent-error.ts'
import { markdownResponse } from './tool-response.ts'
import { filterParameters, readFilter } from './filter-parameters.ts'
import { requiredText, text } from './parameters.ts'
import { quote } from './quote.ts'
import { defineTool, type AgentTool } from './tool.ts'

export const compareRequests: AgentTool = defineTool({
  name: 'compare_requests',
  title: 'Compare two requests',
  description:
    'What differs between two requests, or between one and the median of the last 50 of its route: times, queries, outgoing requests, log, headers, status. Use it before and after a change.',
  parameters: {
    a: requiredText('Token of a request, or latest'),
    b: text('Token of what it is compared with, latest, or median. Default: median'),
  },
  run: async ({ a, b = 'median' }, { profiles }) => {
    const read = await readComparison(profiles, a, b)
    if (read.state === 'missing') {
      throw new AgentError('not_found', `${quote(read.problem, 80)} Use \`list_requests\` to find tokens.`)
    }
    return markdownResponse(compareMarkdown(read))
  },
})

type ScopeFilter = { readonly [Name in keyof RunScope]?: RunScope[Name] }

const time = filterParameters.since.use

export const compareRuns: AgentTool = defineTool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Which routes got slower, faster or fail more often between two runs of the application; a rank test tells changes from chance. Without times or versions: the newest start against the one before. since, until and version name the run, base_since, base_until and base_version what it is compared with.',
  parameters: {
    ...filterParameters,
    base_since: text(`The base starts here: ${time}`, time),
    base_until: text(`The base ends before: ${time}`, time),
    base_version: text('The base is this version of the application'),
  },
  run: async ({ base_since, base_until, base_version, ...values }, { profiles }) => {
    const filter = readFilter(values)
    const base = readFilter({ since: base_since, until: base_until, version: base_version })
    const asked = { filter: countedProfiles(filter, 'route'), run: scopeOf(filter), base: scopeOf(base) }
    const found = await findRuns(profiles, asked)
    if (found.state === 'found') return markdownResponse(runsMarkdown(await readRuns(profiles, found)))
    const use =
      found.state === 'no-base'
        ? 'Use `base_since`, `base_until` or `base_version`.'
        : 'Use `list_requests` to see what is there.'
    throw new AgentError('not_found', `${nothingFound(found, quote)} ${use}`)
  },
})

function scopeOf({ since = null, until = null, version = null }: ScopeFilter): RunScope | null {
  return namedOrNull({ since, until, version })
}
