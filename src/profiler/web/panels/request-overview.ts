// The short answer before the details: what became of the request, who answered, how long it took, what was logged.

import { badge, formatBytes, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { redirectStatuses } from '../../../framework/http/redirect-statuses.ts'
import { statusText } from '../../../framework/http/status-text.ts'
import { cutText } from '../../../errors/page/page-budget.ts'
import type { RequestData } from '../../collectors/request.ts'
import type { PanelView } from '../panel.ts'
import { profileTone } from '../../query/profile-facts.ts'

/** Tiles, each with what leads to it. */
export function requestOverview(data: RequestData, { profile, linkTo }: PanelView): SafeHtml {
  const panel = (name: string): string => linkTo(profile.token, name)
  return html`<dl class="overview card">
    ${entry('Answer', verdict(data, profile.status))} ${redirectsTo(data)} ${redirectedBy(data, linkTo)}
    ${entry('Route', data.route === null ? html`<a href="${panel('router')}">none took it</a>` : html`<a href="${panel('router')}">${data.route}</a>`)}
    ${entry('Handled by', profile.handler === '' ? 'nothing' : profile.handler)}
    ${entry('Time', html`<a href="${panel('time')}">${formatDuration(profile.durationMs)}</a>`)}
    ${profile.errorClass === null ? null : entry('Thrown', html`<a href="${panel('exception')}">${profile.errorClass}</a>`)}
    ${entry('Log', html`<a href="${panel('logger')}">${logCounts(profile)}</a>`)}
  </dl>`
}

function entry(name: string, value: SafeHtml | string): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div> `
}

function verdict({ bytes, aborted }: RequestData, status: number): SafeHtml {
  if (status === 0) return badge('no answer was sent', 'error')
  const size = bytes === null ? null : html` <span class="muted">${formatBytes(bytes)}</span>`
  return html`${badge(`${status} ${statusText(status)}`, profileTone({ status }))}${aborted ? badge('broke off', 'error') : size}`
}

/** Where an answer sends its client; nothing for other answers. */
function redirectsTo({ status, responseHeaders }: RequestData): SafeHtml | null {
  if (!redirectStatuses.includes(status)) return null
  const location = responseHeaders.find(([name]) => name.toLowerCase() === 'location')
  return location === undefined ? null : entry('Redirects to', html`<code>${cutText(location[1], 300)}</code>`)
}

/** The profiles of the redirects that led here. Those of another version may hold anything. */
function redirectedBy({ redirectedBy: steps = [] }: RequestData, linkTo: PanelView['linkTo']): SafeHtml | null {
  if (steps.length === 0) return null
  return entry(
    'Redirected here by',
    html`${steps.map(({ token, method, status }) => html`<a href="${linkTo(token)}">${cutText(method, 20)} ${status}</a> `)}`,
  )
}

function logCounts({ logCount, logErrorCount }: PanelView['profile']): string {
  const lines = logCount === 1 ? '1 line' : `${logCount} lines`
  if (logErrorCount === 0) return lines
  return `${lines}, ${logErrorCount === 1 ? '1 error' : `${logErrorCount} errors`}`
}
