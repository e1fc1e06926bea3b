// Draws request and response: overview, line, parameters, cookies, headers, sub-requests.

import {
  badge,
  emptyState,
  formatBytes,
  formatDuration,
  keyValueTable,
  statusTone,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { bodyView } from '../../../errors/page/body-view.ts'
import { verbatim } from '../../../errors/page/verbatim.ts'
import type { Fields, RequestData } from '../../collectors/request.ts'
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
      ${requestLine(data)} ${fields('Query parameters', data.query)} ${fields('Route parameters', data.routeParameters)}
      ${fields('Cookies', data.cookies)} ${fields('Request headers', data.headers)}
      ${
        data.body === undefined
          ? null
          : html`<h3>Request body</h3>
              ${bodyView(data.body)}`
      }
      ${missing(data)}
      <h3>Send it again</h3>
      ${repeatSection(view.profile)}
      <h3>Response</h3>
      ${responseLine(data)} ${fields('Response headers', data.responseHeaders)} ${subRequests(data, view)}`
  },
}

/** One sentence for all that a request may have and this one has not. */
function missing(data: RequestData): SafeHtml | null {
  const { query, routeParameters, route, cookies, headers, body } = data
  const parts = [
    query.length === 0 ? 'query' : '',
    routeParameters.length === 0 ? (route === null ? 'route, so no route parameters' : 'route parameters') : '',
    cookies.length === 0 ? 'cookies' : '',
    headers.length === 0 ? 'headers' : '',
    body === undefined ? 'body' : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? null : html`<p class="muted">The request has no ${inWords(parts)}.</p>`
}

/** `a, b and no c`. */
function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', no ')}, and no ${parts.at(-1)}`
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
            ${sub.status === 0 ? badge('no answer', 'error') : badge(sub.status, statusTone(sub.status))}
            <span class="muted">${formatDuration(sub.durationMs)}</span>
          </li> `,
      )}
    </ul>`
}
