// The short answer before the details: what became of the request, who answered, how long it took, what was logged.

import { badge, formatBytes, formatDuration } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { statusText } from '../../http/status-text.ts'
import type { RequestData } from '../../profiler/collectors/request.ts'
import type { PanelView } from '../panel.ts'
import { profileTone } from '../profile-headline.ts'

/** Tiles, each with what leads to it. */
export function requestOverview(data: RequestData, { profile, linkTo }: PanelView): SafeHtml {
  const panel = (name: string): string => linkTo(profile.token, name)
  return html`<dl class="overview card">
    ${entry('Answer', verdict(data, profile.status))}
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

function logCounts({ logCount, logErrorCount }: PanelView['profile']): string {
  const lines = logCount === 1 ? '1 line' : `${logCount} lines`
  if (logErrorCount === 0) return lines
  return `${lines}, ${logErrorCount === 1 ? '1 error' : `${logErrorCount} errors`}`
}
