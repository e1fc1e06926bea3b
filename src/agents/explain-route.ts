// The tool about the routes of the application: which there are, and which one takes a request.

import { toSections } from '../observe/blocks/sections.ts'
import { filterRoutes } from '../profiles/query/route-table.ts'
import { askedBlocks, faultBlocks, routeBlocks, trialBlocks } from '../profiles/query/route-words.ts'
import { invalid, defineTool, type AgentTool, type RunningCall, quote, type ToolResponse } from './tool.ts'

export const explainRoute: AgentTool = defineTool({
  name: 'explain_route',
  description:
    'With url: which route takes the request, with which parameters; or why none does and what would work. Without: faults of the route table, and all routes in matching order.',
  parameters: {
    url: { type: 'string', description: 'Such as /orders/7?page=2' },
    method: { type: 'string', description: 'Default GET' },
    search: { type: 'string', description: 'Only routes with this text' },
  },
  run: async ({ url, method, search }, call) => {
    if (url === undefined && method !== undefined) throw invalid('`method` needs `url`. Use `search` to list routes.')
    if (url === undefined) return listRoutes(search ?? '', call)
    if (search !== undefined) throw invalid('`search` is for the list of routes. Leave it or `url` out.')
    const trial = await call.sources.routes.try(method ?? 'GET', url, call.signal)
    if ('problem' in trial) throw invalid(quote(trial.problem, 480))
    return { title: 'Route', parts: toSections([...trialBlocks(trial), ...askedBlocks(trial, 0)], quote) }
  },
})

async function listRoutes(search: string, { sources, signal }: RunningCall): Promise<ToolResponse> {
  const { routes, problems } = await sources.routes.list(signal)
  const matching = filterRoutes(routes, search)
  const said = toSections(routeBlocks(matching, { all: routes.length, part: search, unused: null }), quote)
  const more = 'use `search`, or a larger `budget`'
  return {
    title: 'Routes',
    parts: [...toSections(faultBlocks(problems), quote), ...said.map(({ text, items }) => ({ text, items, more }))],
  }
}
