// `/_profiler/routes`: the route table, and a form to try a request; 400 for an invalid one.

import { codeSpan } from '../base/markdown-text.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import { blockStyles, drawBlocks, wideStyles } from './draw-blocks.ts'
import { isTrialProblem, routesPageStyles, routesView, type RoutesPageView } from './routes-view.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { parseQuery } from '../base/http/query.ts'
import { heading } from '../observe/blocks/blocks.ts'
import { toSections } from '../observe/blocks/sections.ts'
import { askedBlocks, faultBlocks, routeBlocks, trialBlocks } from '../profiles/query/route-words.ts'
import { sectionsMarkdown } from './question-page.ts'
import { filterRoutes, unusedRoutes, type RouteTableSource } from '../profiles/query/route-table.ts'
import { unknownNames } from './query-values.ts'

/** The routes of the application; not there if the controller was given none. */
export const routeTablePage: ProfilerPage = async (
  exchange,
  { options: { routes, profilerPath, editor, profiles, matchedRoutes, askSkipped, service = null }, missing },
) => {
  if (routes === undefined) return missing
  const { wantsUnused, ...asked } = readRoutesPage(routes, exchange.request)
  const unused = wantsUnused
    ? await fromStore(async () => {
        const use = { profiles, service, ...(matchedRoutes !== undefined && { matched: matchedRoutes }) }
        return unusedRoutes(asked.routes, use)
      })
    : null
  const view: RoutesPageView = {
    ...asked,
    routes: unused?.routes ?? asked.routes,
    unused: unused && { profiles: unused.profiles, isCut: unused.isCut },
  }
  return {
    status: isTrialProblem(view.trial) ? 400 : 200,
    ignored: view.ignored,
    html: () => ({
      title: 'Routes',
      content: routesView(view, { profilerPath, editor, asksSkipped: askSkipped !== undefined }),
      styles: [blockStyles, wideStyles, routesPageStyles],
    }),
    json: () => view,
    markdown: () => asMarkdown(view),
  }
}

/** Starts the application once more; not there where it cannot be. */
export const skippedRoutesPage: ProfilerPage = async (_, { options: { askSkipped, editor }, linkTo, missing }) => {
  if (askSkipped === undefined) return missing
  const blocks = await askSkipped()
  const title = 'Routes that were not added'
  return {
    html: () => ({ title, content: drawBlocks(blocks, 'call', { linkTo, editor }), styles: [blockStyles, wideStyles] }),
    json: () => ({ skipped: toSections(blocks, (said) => said) }),
    markdown: () => sectionsMarkdown(title, toSections(blocks, codeSpan)),
  }
}

function asMarkdown({ routes, count, problems, trial, unused, filter }: RoutesPageView): string {
  const tried =
    trial === null || 'problem' in trial
      ? []
      : [heading('Tried request'), ...trialBlocks(trial), ...askedBlocks(trial, maxOthers)]
  const blocks = [...routeBlocks(routes, { all: count, part: filter, unused }), ...faultBlocks(problems), ...tried]
  return sectionsMarkdown('Routes', toSections(blocks, codeSpan))
}

/** Routes with another path that a request was tried against, at most. */
const maxOthers = 10

interface Asked extends Omit<RoutesPageView, 'unused'> {
  readonly wantsUnused: boolean
}

/** Reads the query of the request. A path is tried on the scheme and host that the page was asked for. Never throws. */
function readRoutesPage(source: RouteTableSource, context: HttpRequest): Asked {
  const query = parseQuery(context.rawQuery)
  const first = (name: string): string => (query.get(name)?.[0] ?? '').trim()
  const all = source.list()
  const filter = first('filter').slice(0, 500)
  const { misspelt, foreign } = unknownNames(query, ['method', 'url', 'filter', 'unused'])
  const [unknown] = misspelt
  const typed = { method: first('method') || 'GET', url: first('url') }
  return {
    routes: filterRoutes(all, filter),
    count: all.length,
    filter,
    problems: source.findings(),
    typed,
    trial: unknown === undefined ? tried(source, typed, context) : { problem: unknown },
    ignored: foreign,
    wantsUnused: first('unused') === '1',
  }
}

function tried(
  source: RouteTableSource,
  { method, url }: RoutesPageView['typed'],
  context: HttpRequest,
): RoutesPageView['trial'] {
  return url === '' ? null : source.try(method, url, context)
}
