// Draws request and response: overview, line, parameters, cookies, headers, sub-requests.

import { badge, emptyState, formatBytes, formatDuration, keyValueTable, statusTone } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { bodyView } from '../../pages/body-view.ts'
import { verbatim } from '../../pages/verbatim.ts'
import type { Fields, RequestData } from '../../profiler/collectors/request.ts'
import { repeatSection } from '../export/repeat-section.ts'
import type { Panel, PanelView } from '../panel.ts'
import { requestOverview } from './request-overview.ts'

/** Everything that was asked and answered, masked. */
export const requestPanel: Panel<RequestData> = {
  name: 'request',
  title: 'Request / Response',
  of: 'requests',
  render: (data, view) => {
    if (data === undefined) return emptyState('Nothing of the request was recorded.')
    return html`${requestOverview(data, view)}
      <h3>Request</h3>
      ${requestLine(data)} ${fields('Query parameters', data.query, 'The address has no query.')}
      ${fields('Route parameters', data.routeParameters, data.route === null ? 'No route took this request, so there are none.' : 'The route has none.')}
      ${fields('Cookies', data.cookies, 'The request carries no cookies.')}
      ${fields('Request headers', data.headers, 'The request has no headers.')}
      <h3>Request body</h3>
      ${data.body === undefined ? emptyState('The request has no body.') : bodyView(data.body)}
      <h3>Send it again</h3>
      ${repeatSection(view.profile)}
      <h3>Response</h3>
      ${responseLine(data)} ${fields('Response headers', data.responseHeaders, 'The response has no headers.')}
      <h3>Sub-requests</h3>
      ${subRequests(data, view)}`
  },
}

function requestLine(data: RequestData): SafeHtml {
  const { clientAddress, peerAddress } = data
  return keyValueTable(
    [
      ['Method', data.method],
      ['URL', data.url],
      ['Path as sent', data.path],
      ['Client', clientAddress === peerAddress ? clientAddress : `${clientAddress}, by way of ${peerAddress}`],
    ],
    { caption: 'Request' },
  )
}

function responseLine({ status, bytes, aborted }: RequestData): SafeHtml {
  return keyValueTable(
    [
      ['Status', status === 0 ? 'none was sent' : badge(status, statusTone(status))],
      ['Body', bytes === null ? 'unknown' : formatBytes(bytes)],
      ...(aborted ? [['Complete', 'no: the answer broke off'] as const] : []),
    ],
    { caption: 'Response' },
  )
}

function fields(title: string, list: Fields, empty: string): SafeHtml {
  return html`<h3>${title}</h3>
    ${keyValueTable(
      list.map(([name, value]) => [name, verbatim(value, 8192)] as const),
      { caption: title, empty },
    )}`
}

function subRequests({ subRequests }: RequestData, { linkTo, profile }: PanelView): SafeHtml {
  if (subRequests.length === 0) {
    return emptyState(
      profile.parentToken === null ? 'There were none.' : 'There were none: this is a sub-request itself.',
    )
  }
  return html`<ul>
    ${subRequests.map(
      (sub) =>
        html`<li>
          ${sub.handler} <a class="mono" href="${linkTo(sub.token)}">${sub.token}</a>
          ${sub.status === 0 ? badge('no answer', 'error') : badge(sub.status, statusTone(sub.status))}
          <span class="muted">${formatDuration(sub.durationMs)}</span>
        </li> `,
    )}
  </ul>`
}
