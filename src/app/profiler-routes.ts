// The one list of the pages, and their routes; registered in debug only (SPEC 5.6).

import type { Reply } from '../base/http/reply.ts'
import type { OtlpSignal } from '../otel/otlp/receive/otlp-receiver.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { RouteCollection } from '../routing/route-collection.ts'
import { questions } from './questions.ts'
import type { Question } from '../pages/questions/question.ts'
import { signalPaths } from '../otel/receive-page.ts'

/** The handler: a ProfilerController, or what loads one. */
export interface ProfilerFront {
  page(page: PageRoute, exchange: Exchange): Promise<Reply>
  show(exchange: Exchange<{ readonly token: string }>): Promise<Reply>
  explain(exchange: Exchange<{ readonly token: string; readonly group: string }>): Promise<Reply>
  pause(exchange: Exchange): Promise<Reply>
  skipped(exchange: Exchange): Promise<Reply>
  setErrorState(exchange: Exchange): Promise<Reply>
  mail(exchange: Exchange<{ readonly token: string; readonly mail: string }>): Promise<Reply>
  report(exchange: Exchange): Promise<Reply>
  agents(exchange: Exchange): Promise<Reply>
  replayForm(exchange: Exchange<{ readonly token: string }>): Promise<Reply>
  replay(exchange: Exchange<{ readonly token: string }>): Promise<Reply>
  receive(signal: OtlpSignal, exchange: Exchange): Promise<Reply>
}

/** Asked before the application's own: a catch-all of the application must not hide the profiler. */
const first = { priority: Number.MAX_SAFE_INTEGER } as const

/**
 * The routes, to be merged into an application's table. The token's form is checked when it is read and again by every
 * store, not by the pattern: a malformed token, with slashes in it too, must get the same page as an unknown one (SPEC 5.3).
 */
export function profilerRoutes(controller: ProfilerFront, profilerPath: string): RouteCollection {
  const routes = new RouteCollection()
  const path = profilerPath as '/_profiler'
  for (const page of pageRoutes) {
    const answer = async (exchange: Exchange): Promise<Reply> => controller.page(page, exchange)
    // The list has no name that the ending of a form could follow.
    routes.get(page.name, `${path}/${page.path}`, answer, first)
    routes.get(`${page.name}_form`, `${path}/${page.path || 'index'}.{form<json|md>}`, answer, first)
  }
  const explain = `${path}/{token<[0-9a-z]+>}/explain/{group<[0-9]+>}` as const
  routes.post('_profiler_explain', explain, async (exchange) => controller.explain(exchange), first)
  const mail = `${path}/{token<[0-9a-z]+>}/mail/{mail<[0-9]+>}` as const
  routes.get('_profiler_mail', mail, async (exchange) => controller.mail(exchange), first)
  const report = async (exchange: Exchange): Promise<Reply> => controller.report(exchange)
  routes.post('_profiler_page_report', `${path}/{token<[0-9a-z]+>}/${reportPath}`, report, first)
  routes.post('_profiler_report', `${path}/${reportPath}`, report, first)
  routes.post('_profiler_pause', `${path}/recording`, async (exchange) => controller.pause(exchange), first)
  routes.post('_profiler_skipped', `${path}/routes`, async (exchange) => controller.skipped(exchange), first)
  routes.post('_profiler_error_state', `${path}/errors`, async (exchange) => controller.setErrorState(exchange), first)
  // Any method: the protocol says which ones it has.
  routes.any('_profiler_mcp', `${path}/${agentPath}`, async (exchange) => controller.agents(exchange), first)
  const replay = `${path}/{token<[0-9a-z]+>}/replay` as const
  for (const [ending, address] of [
    ['', replay],
    ['_form', `${replay}.{form<json|md>}`],
  ] as const) {
    routes.get(`_profiler_replay_page${ending}`, address, async (exchange) => controller.replayForm(exchange), first)
    routes.post(`_profiler_replay${ending}`, address, async (exchange) => controller.replay(exchange), first)
  }
  for (const [signal, below] of signalPaths) {
    const receive = async (exchange: Exchange): Promise<Reply> => controller.receive(signal, exchange)
    routes.post(`_profiler_v1_${signal}`, `${path}/${below}`, receive, first)
  }
  routes.get('_profiler', `${path}/{token<.+>}`, async (exchange) => controller.show(exchange), first)
  return routes
}

/** Below the profiler's path, for clients of the Model Context Protocol. */
const agentPath = 'mcp'

/** Where pages report, below the profiler's path or below a token. */
const reportPath = 'browser'

/**
 * The same with the addresses that exporters of OpenTelemetry send to unless they are told another one, which an application may have for itself;
 * and with the questions of browsers whether a page of another port may send.
 */
export function withOtlpRoutes(
  routes: RouteCollection,
  { receive }: ProfilerFront,
  profilerPath: string,
): RouteCollection {
  for (const [signal, below] of signalPaths) {
    const handler = async (exchange: Exchange): Promise<Reply> => receive(signal, exchange)
    const path = `${profilerPath as '/_profiler'}/${below}` as const
    routes.add({ name: `_profiler_v1_${signal}_question`, path, methods: ['OPTIONS'], handler, ...first })
    routes.add({ name: `_otlp_${signal}`, path: `/${below}`, methods: ['OPTIONS', 'POST'], handler, ...last })
  }
  return routes
}

/** Asked after the application's own. */
const last = { priority: Number.MIN_SAFE_INTEGER } as const

export interface PageRoute {
  /** Of its route: `_profiler_groups`. */
  readonly name: string
  /** Below the profiler's path: `groups`; empty for the list. */
  readonly path: string
  /** Its link in the header of every page; `null` for none. */
  readonly label: string | null
  /** Whether there is something to see. Default: yes. */
  readonly isThere?: Question['isThere']
}

/** The paths of the pages that the bar names; the others are under *More*. */
export const pagesInBar: readonly string[] = ['', 'errors', 'queries', 'compare-runs', 'routes']

/** Every page, those under *More* in the order of their links. No path may look like a token: 10 to 16 of 0-9 and a-z. */
export const pageRoutes: readonly PageRoute[] = [
  { name: '_profiler_home', path: '', label: 'Requests' },
  { name: '_profiler_live', path: 'live', label: null },
  { name: '_profiler_latest', path: 'latest', label: null },
  { name: '_profiler_runs', path: 'compare-runs', label: 'Runs' },
  { name: '_profiler_routes', path: 'routes', label: 'Routes' },
  ...questions.map(({ name, label, isThere }) => ({ name: `_profiler_${name}`, path: name, label, isThere })),
  { name: '_profiler_compare', path: 'compare', label: null },
  { name: '_profiler_changes', path: 'changes', label: null },
  { name: '_profiler_reload', path: 'reload', label: null },
  { name: '_profiler_export', path: 'export', label: null },
  { name: '_profiler_help', path: 'help', label: 'Help' },
]
