// The one list of the pages, and their routes; registered in debug only (SPEC 5.6).

import type { Reply } from '../base/http/reply.ts'
import type { OtlpSignal } from '../otel/otlp/receive/otlp-receiver.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { RouteCollection } from '../routing/route-collection.ts'
import { questions } from '../analysis/questions/all.ts'
import type { Question } from '../pages/question.ts'
import { signalPaths } from '../otel/otlp/start-otlp.ts'

/** What is below the profiler's path beside the pages. */
export type OtherAddress =
  | 'show'
  | 'explain'
  | 'mail'
  | 'report'
  | 'pause'
  | 'skipped'
  | 'errorState'
  | 'rows'
  | 'agents'
  | 'replayForm'
  | 'replay'

/** The handler: a ProfilerController, or what loads one. */
export interface ProfilerFront {
  page(page: PageRoute, exchange: Exchange): Promise<Reply>
  serve(address: OtherAddress, exchange: Exchange): Promise<Reply>
  receive(signal: OtlpSignal, exchange: Exchange): Promise<Reply>
}

/** Asked before the application's own: a catch-all of the application must not hide the profiler. */
const first = { priority: Number.MAX_SAFE_INTEGER } as const

const token = '{token<[0-9a-z]+>}'
/** Where pages report, below the profiler's path or below a token. */
const reportPath = 'browser'

/** In the order in which they are asked. Without a method, any: the protocol says which ones it has. */
const addresses: readonly (readonly [OtherAddress, routeName: string, path: string, method?: 'GET' | 'POST'])[] = [
  ['explain', '_profiler_explain', `${token}/explain/{group<[0-9]+>}`, 'POST'],
  ['mail', '_profiler_mail', `${token}/mail/{mail<[0-9]+(?:\\.eml)?>}`, 'GET'],
  ['report', '_profiler_page_report', `${token}/${reportPath}`, 'POST'],
  ['report', '_profiler_report', reportPath, 'POST'],
  ['pause', '_profiler_pause', 'recording', 'POST'],
  ['skipped', '_profiler_skipped', 'routes', 'POST'],
  ['errorState', '_profiler_error_state', 'errors', 'POST'],
  ['rows', '_profiler_rows', 'rows', 'POST'],
  ['agents', '_profiler_mcp', 'mcp'],
  ['replayForm', '_profiler_replay_page', `${token}/replay`, 'GET'],
  ['replay', '_profiler_replay', `${token}/replay`, 'POST'],
  ['replayForm', '_profiler_replay_page_form', `${token}/replay.{form<json|md>}`, 'GET'],
  ['replay', '_profiler_replay_form', `${token}/replay.{form<json|md>}`, 'POST'],
]

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
  for (const [address, name, below, method] of addresses) {
    const handler = async (exchange: Exchange): Promise<Reply> => controller.serve(address, exchange)
    routes.add({ name, path: `${path}/${below}`, ...(method && { methods: [method] }), handler, ...first })
  }
  for (const [signal, below] of signalPaths) {
    const receive = async (exchange: Exchange): Promise<Reply> => controller.receive(signal, exchange)
    routes.post(`_profiler_v1_${signal}`, `${path}/${below}`, receive, first)
  }
  routes.get('_profiler', `${path}/{token<.+>}`, async (exchange) => controller.serve('show', exchange), first)
  return routes
}

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
export const pagesInBar: readonly string[] = ['', 'errors', 'queries', 'runs', 'routes']

/** Every page, those under *More* in the order of their links. No path may look like a token: 10 to 16 of 0-9 and a-z. */
export const pageRoutes: readonly PageRoute[] = [
  { name: '_profiler_home', path: '', label: 'Requests' },
  { name: '_profiler_latest', path: 'latest', label: null },
  { name: '_profiler_palette', path: 'palette', label: null },
  ...questions.map(({ name, label, isThere }) => ({ name: `_profiler_${name}`, path: name, label, isThere })),
  { name: '_profiler_compare', path: 'compare', label: null },
  { name: '_profiler_changes', path: 'changes', label: null },
  { name: '_profiler_reload', path: 'reload', label: null },
  { name: '_profiler_export', path: 'export', label: null },
]
