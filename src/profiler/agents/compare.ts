// The tool that compares two profiles, or two runs of the application.

import { findRuns, namedOrNull, readRuns, type RunScope } from '../compare/read-runs.ts'
import { readComparison } from '../compare/read-comparison.ts'
import type { ProfileFilter } from '../profile-store.ts'
import { compareMarkdown } from '../query/compare-markdown.ts'
import { countedProfiles } from '../query/groups.ts'
import { nothingFound, runsMarkdown } from '../query/runs-markdown.ts'
import { AgentError } from './agent-error.ts'
import { readFilter } from './find.ts'
import { invalid } from './parameters.ts'
import { defineTool, type AgentTool } from './tool.ts'
import { markdownResponse, quote } from './tool-response.ts'

const likeFind = { type: 'string', description: 'As in find' } as const

export const compare: AgentTool = defineTool({
  name: 'compare',
  description:
    'With a: what differs between two profiles. Without: which routes got slower, faster or fail more often between two runs; by default the newest start and the one before.',
  parameters: {
    a: { type: 'string', description: 'Token or latest' },
    b: { type: 'string', description: 'Token, latest or median of the route (default)' },
    since: likeFind,
    until: likeFind,
    version: likeFind,
    base_since: { type: 'string', description: 'Of the run before' },
    base_until: { type: 'string', description: 'The same' },
    base_version: { type: 'string', description: 'The same' },
    route: likeFind,
    service: likeFind,
  },
  run: async ({ a, b, base_since, base_until, base_version, ...values }, { profiles }) => {
    const base = { since: base_since, until: base_until, version: base_version }
    if (a !== undefined) {
      const isOfRuns = [...Object.values(base), ...Object.values(values)].some((value) => value !== undefined)
      if (isOfRuns) throw invalid('Only `b` and `budget` go with `a`: the others say which runs are compared.')
      const read = await readComparison(profiles, a, b ?? 'median')
      if (read.state === 'compared') return markdownResponse(compareMarkdown(read))
      throw new AgentError('not_found', `${quote(read.problem, 320)} Use \`find\` for tokens.`)
    }
    if (b !== undefined) throw invalid('`a` is missing. Use a token, or latest.')
    const filter = readFilter(values)
    const asked = { filter: countedProfiles(filter, 'route'), run: scopeOf(filter), base: scopeOf(readFilter(base)) }
    const found = await findRuns(profiles, asked)
    if (found.state === 'found') return markdownResponse(runsMarkdown(await readRuns(profiles, found)))
    const use =
      found.state === 'no-base'
        ? 'Use `base_since`, `base_until` or `base_version`.'
        : 'Use `find` to see what is there.'
    throw new AgentError('not_found', `${nothingFound(found, quote)} ${use}`)
  },
})

function scopeOf({ since, until, version }: ProfileFilter): RunScope | null {
  return namedOrNull({ since: since ?? null, until: until ?? null, version: version ?? null })
}
