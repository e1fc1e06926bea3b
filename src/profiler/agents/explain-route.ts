// The tool about the routes of the application: which there are, and which one takes a request.

import { filterRoutes, methodsText, type RouteFacts, type RouteTrial } from '../query/route-table.ts'
import { listSection } from '../blocks/sections.ts'
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
    return trialResponse(trial)
  },
})

async function listRoutes(search: string, { sources, signal }: RunningCall): Promise<ToolResponse> {
  const { routes, problems } = await sources.routes.list(signal)
  const matching = filterRoutes(routes, search)
  const none = routes.length === 0 ? 'The application has no routes.' : `None of ${routes.length} routes has this text.`
  return {
    title: 'Routes',
    parts: [
      ...listSection(
        'Faults',
        problems.map(({ message }) => quote(message, 480)),
      ),
      {
        text: matching.length === 0 ? none : `${matching.length} of ${routes.length} routes.`,
        items: matching.map(routeLine),
        more: 'use `search`, or a larger `budget`',
      },
    ],
  }
}

function routeLine(route: RouteFacts): string {
  const { name, path, host, handler, definedAt } = route
  const place = definedAt === null ? '' : `, ${quote(definedAt)}`
  return `- ${quote(`${methodsText(route)} ${host}${path}`)} ${quote(name)}: ${quote(handler)}${place}`
}

function trialResponse({
  route,
  redirect,
  allow,
  outcome,
  params,
  suggestions,
  trace,
  ...asked
}: RouteTrial): ToolResponse {
  const result =
    route === null
      ? outcome === 'method_not_allowed'
        ? `is not allowed. Use ${allow.map((one) => quote(one)).join(', ')}`
        : 'matches no route'
      : redirect === null
        ? `matches ${quote(route.name)}`
        : `is redirected to ${quote(redirect.location)} (${redirect.status}) by ${quote(route.name)}`
  const given = Object.entries(params).map(
    ([name, value]) => `- Parameter ${quote(name)}: ${quote(JSON.stringify(value) ?? '')}`,
  )
  return {
    title: 'Route',
    parts: [
      {
        text: `${quote(`${asked.method} ${asked.url}`)} ${result}.`,
        items: route === null ? [] : [routeLine(route), ...given],
      },
      ...listSection(
        'What would work',
        suggestions.map(
          ({ method, url, pattern, reason, routeName }) =>
            `${quote(`${method} ${url ?? pattern}`)}: ${quote(reason)} (route ${quote(routeName)})`,
        ),
      ),
      ...listSection(
        'Routes with this path that do not take it',
        trace
          .filter((entry) => entry.outcome === 'almost')
          .map(({ route: name, pattern, reason }) => `${quote(name)} ${quote(pattern)}: ${quote(reason)}`),
      ),
    ],
  }
}
