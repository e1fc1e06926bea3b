// Tools about the routes of the application.

import { formatDuration } from '../../framework/html/components.ts'
import { countedName, countedProfiles, groupOrders, inOrder, meanText, scopeSentence } from '../query/groups.ts'
import type { ProfileGroup } from '../profile-store.ts'
import { filterRoutes, methodsText, type RouteFacts, type RouteTrial } from '../query/route-table.ts'
import { AgentError } from './agent-error.ts'
import type { ToolResponse, ResponsePart } from './tool-response.ts'
import { filterParameters, readFilter } from './filter-parameters.ts'
import { choice, requiredText, text } from './parameters.ts'
import { quote } from './quote.ts'
import { defineTool, type AgentTool } from './tool.ts'

export const listRoutes: AgentTool = defineTool({
  name: 'list_routes',
  title: 'List routes',
  description:
    'The routes of the application as its code has them now, in matching order, and faults of the table: duplicates, routes that are never reached.',
  parameters: { find: text('Only routes with this text in name, path, method, handler or file') },
  run: async ({ find = '' }, { sources, signal }) => {
    const { routes, findings } = await sources.routes.list(signal)
    const shown = filterRoutes(routes, find)
    const none =
      routes.length === 0 ? 'The application has no routes.' : `None of ${routes.length} routes has this text.`
    const problems = findings.map(({ message }) => `- ${quote(message, 120)}`)
    return {
      title: 'Routes',
      parts: [
        ...(problems.length === 0 ? [] : [{ title: 'Faults', items: problems, things: 'faults', share: 0.4 }]),
        {
          text: shown.length === 0 ? none : `${shown.length} of ${routes.length} routes.`,
          items: shown.map(routeLine),
          things: 'routes',
          more: () => 'use `find`, or a larger `budget`',
        },
      ],
    }
  },
})

function routeLine(route: RouteFacts): string {
  const { name, path, host, handler, definedAt } = route
  const place = definedAt === null ? '' : `, ${quote(definedAt)}`
  return `- ${quote(`${methodsText(route)} ${host}${path}`)} ${quote(name)}: ${quote(handler)}${place}`
}

export const explainRoute: AgentTool = defineTool({
  name: 'explain_route',
  title: 'Explain which route matches',
  description:
    'Which route takes a request and with which parameters; or why none does, which routes are near, and what would work. Nothing is sent to the application.',
  parameters: {
    method: requiredText('GET, POST …'),
    url: requiredText('A path such as /orders/7?page=2, or a whole address'),
  },
  run: async ({ method, url }, { sources, signal }) => {
    const trial = await sources.routes.try(method, url, signal)
    if ('problem' in trial) throw new AgentError('invalid_arguments', quote(trial.problem, 120))
    return trialResponse(trial)
  },
})

function trialResponse(trial: RouteTrial): ToolResponse {
  const { route, redirect, allow, outcome, params, suggestions, trace } = trial
  const asked = quote(`${trial.method} ${trial.url}`)
  const near = trace.filter((entry) => entry.outcome === 'almost')
  const parts: ResponsePart[] = []
  if (route === null) {
    const why =
      outcome === 'method_not_allowed'
        ? `is not allowed. Use ${allow.map((one) => quote(one)).join(', ')}`
        : 'matches no route'
    parts.push({ text: `${asked} ${why}.` })
  } else {
    const target =
      redirect === null
        ? `matches ${quote(route.name)}`
        : `is redirected to ${quote(redirect.location)} (${redirect.status}) by ${quote(route.name)}`
    const given = Object.entries(params).map(
      ([name, value]) => `- Parameter ${quote(name)}: ${quote(JSON.stringify(value) ?? '')}`,
    )
    parts.push({ text: `${asked} ${target}.`, items: [routeLine(route), ...given], things: 'facts' })
  }
  if (suggestions.length > 0) {
    const items = suggestions.map(({ method, url, pattern, reason, routeName }) => {
      return `- ${quote(`${method} ${url ?? pattern}`)}: ${quote(reason, 80)} (route ${quote(routeName)})`
    })
    parts.push({ title: 'What would work', items, things: 'suggestions', share: 0.5 })
  }
  if (near.length > 0) {
    const items = near.map(
      ({ route: name, pattern, reason }) => `- ${quote(name)} ${quote(pattern)}: ${quote(reason, 80)}`,
    )
    parts.push({ title: 'Routes with this path that do not take it', items, things: 'routes' })
  }
  return { title: 'Route', parts }
}

export const slowRoutes: AgentTool = defineTool({
  name: 'slow_routes',
  title: 'List slow routes',
  description:
    'Routes by what they cost, from the newest 10,000 requests that match: count, errors, percentiles of the duration, own code, queries. Each names its newest request.',
  parameters: {
    ...filterParameters,
    sort: choice('What to sort by, the greatest first. Default p95', groupOrders),
  },
  run: async ({ sort = 'p95', ...values }, { profiles }) => {
    const filter = countedProfiles(readFilter(values), 'route')
    const found = await profiles.group(filter, 'route')
    const items = inOrder(found.groups, sort).map(groupLine)
    return {
      title: 'Slow routes',
      parts: [
        {
          text: items.length === 0 ? 'No request matches.' : scopeSentence(found, countedName(filter)),
          items,
          things: 'routes',
          more: () => 'use `route` or other filters, or a larger `budget`',
        },
      ],
    }
  },
})

function groupLine({
  key,
  count,
  errorCount,
  p50Ms,
  p95Ms,
  maxMs,
  ownCpuP50Ms,
  meanQueries,
  lastToken,
}: ProfileGroup): string {
  const facts = [
    `p50 ${formatDuration(p50Ms)}`,
    `p95 ${formatDuration(p95Ms)}`,
    `longest ${formatDuration(maxMs)}`,
    ...(ownCpuP50Ms === null ? [] : [`own code ${formatDuration(ownCpuP50Ms)}`]),
    ...(meanQueries === null ? [] : [`${meanText(meanQueries)} queries`]),
    `${count} requests, ${errorCount} errors`,
  ]
  return `- ${key === null ? 'no route' : quote(key)}: ${facts.join(', ')}, newest ${quote(lastToken)}`
}
