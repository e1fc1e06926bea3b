// The request panel: an overview, the request beside its response, sub-requests.

import {
  badge,
  emptyState,
  formatBytes,
  formatDuration,
  keyValueTable,
  statusTone,
} from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { bodyView } from '../../errors/page/request-section.ts'
import { verbatim } from '../../base/html/page-budget.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { Fields, RequestData } from '../../observe/collectors/request.ts'
import { repeatSection } from '../repeat-section.ts'
import type { Panel, PanelView } from '../panel.ts'
import { redirectStatuses } from '../../base/http/status-text.ts'

export const requestPanel: Panel<RequestData> = {
  name: 'request',
  title: 'Request / Response',
  of: 'requests',
  render: (data, view) => {
    if (data === undefined) return emptyState('The request was not recorded.')
    return html`${requestOverview(data, view)}
      <div class="two-sides">
        <div>
          <h3>Request</h3>
          ${requestLine(data)} ${fields('Query parameters', data.query)}
          ${fields('Route parameters', data.routeParameters)} ${fields('Cookies', data.cookies)}
          ${fields('Request headers', data.headers)} ${body('Request body', data.body)} ${missing(data)}
          ${repeatSection(view.profile)}
        </div>
        <div>
          ${fields('Response headers', withoutOwn(data.responseHeaders))} ${body('Response body', data.responseBody)}
        </div>
      </div>
      ${subRequests(data, view)}`
  },
}

/** What names this profile stands in its address. */
function withoutOwn(headers: Fields): Fields {
  return headers.filter(([name]) => !/^x-debug-token(?:-link)?$/i.test(name))
}

/** One sentence for all that a request may have and this one has not. */
function missing({ query, routeParameters, cookies, headers, body }: RequestData): SafeHtml | null {
  const lists = { query, 'route parameters': routeParameters, cookies, headers, body: body === undefined ? [] : [body] }
  const parts = Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [name] : []))
  return parts.length === 0 ? null : html`<p class="muted">No ${inWords.format(parts)}.</p>`
}

const inWords = new Intl.ListFormat('en', { type: 'disjunction' })

function requestLine({ url, path, clientAddress, peerAddress }: RequestData): SafeHtml {
  return keyValueTable(
    [
      ['URL', url],
      // Most paths are in the URL as they were sent.
      ...(url.includes(path) ? [] : [['Raw path', path] as const]),
      ['Client', clientAddress === peerAddress ? clientAddress : `${clientAddress} via ${peerAddress}`],
    ],
    { caption: 'Request' },
  )
}

function body(title: string, found: RequestData['body']): SafeHtml | null {
  if (found === undefined) return null
  return html`<h3>${title}</h3>
    ${bodyView(found)}`
}

function fields(title: string, list: Fields): SafeHtml | null {
  if (list.length === 0) return null
  return html`<h3>${title}</h3>
    ${keyValueTable(
      list.map(([name, value]) => [name, verbatim(value, 8192)] as const),
      { caption: title },
    )}`
}

function subRequests({ subRequests }: RequestData, { linkTo }: PanelView): SafeHtml | null {
  if (subRequests.length === 0) return null
  return html`<h3>Sub-requests</h3>
    <ul>
      ${subRequests.map(
        (sub) =>
          html`<li>
            ${sub.handler} <a class="mono" href="${linkTo(sub.token)}">${sub.token}</a>
            ${sub.status === 0 ? badge('no response', 'error') : badge(sub.status, statusTone(sub.status))}
            <span class="muted">${formatDuration(sub.durationMs)}</span>
          </li> `,
      )}
    </ul>`
}

function requestOverview(data: RequestData, { profile, linkTo }: PanelView): SafeHtml {
  const panel = (name: string): string => linkTo(profile.token, name)
  return html`<dl class="overview card">
    ${outcome(data)} ${redirectsTo(data)} ${redirectedBy(data, linkTo)}
    ${entry('Route', data.route === null ? html`<a href="${panel('router')}">No route matched</a>` : html`<a href="${panel('router')}">${data.route}</a>`)}
    ${entry('Handled by', profile.handler || (data.route === null ? 'nothing' : 'a function without a name'))}
    ${profile.errorClass === null ? null : entry('Exception', html`<a href="${panel('exception')}">${profile.errorClass}</a>`)}
  </dl>`
}

function entry(name: string, value: SafeHtml | string): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div> `
}

/** The head has the status. */
function outcome({ bytes, aborted }: RequestData): SafeHtml | null {
  if (bytes === null && !aborted) return null
  return entry(
    'Response',
    html`${aborted ? badge('aborted', 'error') : null} ${bytes === null ? null : formatBytes(bytes)}`,
  )
}

/** Where a response redirects its client; nothing for other responses. */
function redirectsTo({ status, responseHeaders }: RequestData): SafeHtml | null {
  if (!redirectStatuses.includes(status)) return null
  const location = responseHeaders.find(([name]) => name.toLowerCase() === 'location')
  return location === undefined ? null : entry('Redirects to', html`<code>${cutText(location[1], 300)}</code>`)
}

/** The profiles of the redirects that led here. Those of another version may hold anything. */
function redirectedBy({ redirectedBy: steps = [] }: RequestData, linkTo: PanelView['linkTo']): SafeHtml | null {
  if (steps.length === 0) return null
  return entry(
    'Redirected from',
    html`${steps.map(({ token, method, status }) => html`<a href="${linkTo(token)}">${cutText(method, 20)} ${status}</a> `)}`,
  )
}
