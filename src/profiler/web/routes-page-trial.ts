// Draws what the route table says to a request: the route that takes it with its parameters, or what would work instead.

import { keyValueTable } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import type { EditorLink } from '../../errors/page/frame-item.ts'
import { countOf, cutText } from '../../errors/page/page-budget.ts'
import { placeLink } from '../../errors/page/place-link.ts'
import { suggestionList } from '../../errors/page/suggestion-list.ts'
import { traceTable } from './panels/router.ts'
import type { RouteFacts, RouteTrial } from '../query/route-table.ts'

/** The verdict, its reasons, and what every route said. */
export function trialResult(trial: RouteTrial, profilerPath: string, editor: EditorLink | undefined): SafeHtml {
  return html`${verdict(trial, profilerPath, editor)}
    <details class="fold trial-trace">
      <summary>${traceTitle(trial)}</summary>
      ${trial.trace.length === 0 ? null : traceTable(trial.trace, 'What it said', editor)}
    </details>`
}

function verdict(trial: RouteTrial, profilerPath: string, editor: EditorLink | undefined): SafeHtml {
  const { route, redirect, allow } = trial
  const request = html`<code>${trial.method} ${cutText(trial.url, 2000)}</code>`
  if (route !== null && redirect === null)
    return html`<p class="note tone-success">${request} goes to <b>${route.name}</b>.</p>
      ${keyValueTable(routeRows(route, editor), { caption: 'The route that takes the request' })}
      <h3>Route parameters</h3>
      ${keyValueTable(Object.entries(trial.params).map(paramRow), { caption: 'Route parameters', empty: 'The route has none.' })}`
  if (route !== null && redirect !== null)
    return html`<p class="note tone-info">
        ${request} is sent to <code>${cutText(redirect.location, 2000)}</code> with ${redirect.status}: there it goes to
        <b>${route.name}</b>.
      </p>
      ${keyValueTable(routeRows(route, editor), { caption: 'The route that the request is sent to' })}`
  const isOwn = trial.path === profilerPath || trial.path.startsWith(`${profilerPath}/`)
  return html`<p class="note tone-warning">
      ${allow.length > 0 ? html`${request} finds a path that takes ${allow.join(', ')} only.` : html`No route takes ${request}.`}
      ${isOwn ? 'Paths like this one are the profiler’s own: its routes are not in this table.' : null}
    </p>
    <h3>What would work</h3>
    ${suggestionList(trial.suggestions, editor)}`
}

function routeRows(
  route: RouteFacts,
  editor: EditorLink | undefined,
): readonly (readonly [string, SafeHtml | string])[] {
  return [
    ['Route', route.name],
    ['Path', route.path],
    ['Handler', route.handler],
    ['Defined at', route.definedAt === null ? 'unknown' : placeLink(route.definedAt, editor)],
  ]
}

function paramRow([name, value]: readonly [string, unknown]): readonly [string, string] {
  return [cutText(name, 200), cutText(typeof value === 'string' ? value : JSON.stringify(value), 2000)]
}

function traceTitle({ outcome, trace }: RouteTrial): string {
  if (trace.length === 0) return 'The application has no routes.'
  const routes = countOf(trace.length, 'route')
  return outcome === 'match' ? `${routes} asked, in this order` : `${routes} asked, nearest first`
}
