// The routes of the application: what they ask for, what is wrong with them, which no request hit, and which takes a request.

import { heading, text } from '../../observe/blocks/blocks.ts'
import { filterRoutes, routeUse, unusedRoutes } from '../../profiles/query/route-table.ts'
import type { RouteFacts, RouteFinding, RouteTrial, RouteUse, UsedRoute } from '../../profiles/query/route-table.ts'
import { askedBlocks, faultBlocks, routeBlocks, trialBlocks } from '../route-words.ts'
import { parameter, question, QuestionError, type Parameter, type Question } from '../../pages/question.ts'

/** What `/_profiler/routes.json` has. */
export interface FoundRoutes {
  /** With their use, unless the store fails. */
  readonly routes: readonly (RouteFacts & Partial<UsedRoute>)[]
  readonly count: number
  readonly problems: readonly RouteFinding[]
  /** How routes that were never hit were looked for; `null`: it does not matter. */
  readonly unused: Pick<RouteUse, 'profiles' | 'isCut'> | null
  /** `null` if nothing is tried. */
  readonly trial: RouteTrial | null
}

type TypedField = Omit<NonNullable<Parameter['field']>, 'label'> & { readonly label?: string }

const typed = (label: string, field: TypedField, usual = ''): ReturnType<typeof parameter<string>> =>
  parameter({
    label,
    help: field.hint,
    use: field.hint,
    field: { label, ...field },
    default: usual,
    read: (said) => said,
  })

export const routes: Question = question({
  name: 'routes',
  label: 'Routes',
  title: () => 'Routes',
  about: 'list routes, and try a request',
  parameters: {
    method: typed('Method', { hint: 'GET', isShort: true }, 'GET'),
    url: typed('URL or path', {
      label: 'URL or path, never sent',
      hint: '/path or https://host/path?query',
      button: 'Try',
    }),
    filter: typed('Filter routes', { hint: 'Name, path, handler …', button: 'Filter' }),
    unused: parameter<'yes' | undefined>({
      label: 'Routes',
      help: '',
      use: 'yes',
      buttons: { '': 'All', yes: 'Never hit' },
      default: undefined,
      read: (said) => (said === 'yes' || said === '1' ? 'yes' : undefined),
    }),
  },
  ask: async ({ routeTable, profiles, matchedRoutes, service = null, profilerPath }, { values, base }) => {
    if (routeTable === undefined || base === undefined) return undefined
    const { method, url, filter } = values
    const trial = url === '' ? null : routeTable.try(method, url, base)
    if (trial !== null && 'problem' in trial) throw new QuestionError(trial.problem, 400)
    if (trial?.route === null && `${trial.path}/`.startsWith(`${profilerPath}/`))
      throw new QuestionError('This path belongs to the profiler, whose routes are not listed.', 400)
    const all = routeTable.list()
    const found = { count: all.length, problems: routeTable.findings(), trial }
    const asked = routeUse(all, profiles, service)
    if (values.unused === undefined) {
      const use = await asked.catch(() => null)
      return { routes: filterRoutes(use?.routes ?? all, filter), ...found, unused: null } satisfies FoundRoutes
    }
    const { routes: used, ...unused } = await asked
    const shown = filterRoutes(unusedRoutes(used, matchedRoutes), filter)
    return { routes: shown, ...found, unused } satisfies FoundRoutes
  },
  draw: ({ routes: shown, count, problems, unused, trial }, { values }) => [
    ...(trial === null ? [] : [heading('Tried request'), ...trialBlocks(trial), ...askedBlocks(trial, maxOthers)]),
    ...faultBlocks(problems.slice(0, maxFaults)),
    text(problems.length > maxFaults && `${problems.length - maxFaults} more are in the JSON.`),
    ...(trial === null && problems.length === 0 ? [] : [heading(unused === null ? 'All routes' : 'Routes never hit')]),
    ...routeBlocks(shown, { all: count, part: values.filter, unused }),
  ],
})

const maxFaults = 100
/** Routes with another path that a request was tried against, at most. */
const maxOthers = 10
