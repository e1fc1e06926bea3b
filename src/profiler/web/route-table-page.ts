// `/_profiler/routes`: the route table, and what it says to a request that was typed. 400 for one that cannot be tried.

import { codeSpan } from '../../errors/markdown-text.ts'
import { heading } from './profiler-pages.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { isTrialProblem, readRoutesPage, type RoutesPageView } from './routes-page-view.ts'
import { routesPage } from './routes-page.ts'

/** The routes of the application; not there where the controller was given none. */
export const routeTablePage: ProfilerPage = {
  name: '_profiler_routes',
  path: 'routes',
  label: 'Routes',
  async answer(exchange, { options: { routes, profilerPath, editor }, missing }) {
    if (routes === undefined) return missing(exchange)
    const view = readRoutesPage(routes, exchange.context)
    return {
      status: isTrialProblem(view.trial) ? 400 : 200,
      ignored: view.ignored,
      html: () => ({
        title: 'Routes',
        headline: heading('Routes'),
        content: routesPage(view, { profilerPath, editor }),
      }),
      json: () => view,
      markdown: () => asMarkdown(view),
    }
  },
}

function asMarkdown({ routes, count, problems, trial }: RoutesPageView): string {
  const lines = routes.map(({ name, methods, path, handler }) => {
    const facts = [methods.length === 0 ? 'any method' : methods.join(', '), codeSpan(path), codeSpan(handler)]
    return `- ${codeSpan(name)}: ${facts.join(' · ')}`
  })
  const found = problems.map(({ message }) => `- ${codeSpan(message)}`)
  const parts = [
    `# Routes\n\n${routes.length} of ${count}`,
    lines.join('\n'),
    ...(found.length === 0 ? [] : [`## Findings\n\n${found.join('\n')}`]),
    ...(trial === null ? [] : [`## The request that was tried\n\n${codeSpan(JSON.stringify(trial))}`]),
  ]
  return `${parts.join('\n\n')}\n`
}
