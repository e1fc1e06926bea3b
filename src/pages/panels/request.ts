// The request panel: the request beside its response, sub-requests.

import { badge, emptyState, formatBytes, formatDuration, keyValueTable, fold } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { bodyView } from '../../errors/page/request-section.ts'
import { verbatim } from '../../base/html/page-budget.ts'
import { placeLink } from '../../http/config/editor-link.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { Fields, RequestData } from '../../observe/collectors/request.ts'
import { heading, recorded } from '../../observe/blocks/blocks.ts'
import { profileTone } from '../../profiles/profile-facts.ts'
import { drawBlocks } from '../draw-blocks.ts'
import type { Panel, PanelView } from '../panel.ts'
import type { Profile } from '../../observe/profile.ts'
import { curlCommand, missingText, repeatableRequest } from '../../profiles/repeatable-request.ts'

export const requestPanel: Panel<RequestData> = {
  name: 'request',
  title: 'Request / Response',
  of: 'requests',
  render: (data, view) => {
    if (data === undefined) return emptyState('The request was not recorded.')
    return html`<div class="two-sides">
        <div>
          <h3>Request</h3>
          ${requestFacts(data, view)} ${fields('Query parameters', data.query)}
          ${fields('Route parameters', data.routeParameters)} ${fields('Cookies', data.cookies)}
          ${fields('Request headers', data.headers)} ${body('Request body', data.body)} ${repeatSection(view.profile)}
        </div>
        <div>
          <h3>Response${size(data)}</h3>
          ${pairs('Response headers', withoutOwn(data.responseHeaders))} ${body('Response body', data.responseBody)}
        </div>
      </div>
      ${subRequests(data, view)}`
  },
}

/** What names this profile stands in its address. */
function withoutOwn(headers: Fields): Fields {
  return headers.filter(([name]) => !/^x-debug-token(?:-link)?$/i.test(name))
}

function requestFacts(data: RequestData, { profile, linkTo, editor }: PanelView): SafeHtml {
  const { url, path, route, clientAddress, peerAddress, redirectedBy = [] } = data
  // A function without a name is called by its route and its place.
  const [, named = profile.handler, at] = /^(.*) \((\S+:\d+)\)$/.exec(profile.handler) ?? []
  const panel = (name: string, text: string): SafeHtml => html`<a href="${linkTo(profile.token, name)}">${text}</a>`
  return keyValueTable(
    [
      // Most paths are in the URL as they were sent, which the head has.
      ...(url.includes(path) ? [] : [['Raw path', path] as const]),
      ['Route', panel('router', route ?? 'No route matched')],
      ...(named !== route
        ? [['Handler', profile.handler || (route === null ? 'none' : 'a function without a name')] as const]
        : at === undefined
          ? []
          : [['Handler', placeLink(at, editor)] as const]),
      ...(profile.errorClass === null ? [] : [['Exception', panel('exception', profile.errorClass)] as const]),
      ...(redirectedBy.length === 0 ? [] : [['Redirected from', redirects(redirectedBy, linkTo)] as const]),
      ['Client', clientAddress === peerAddress ? clientAddress : `${clientAddress} via ${peerAddress}`],
    ],
    { caption: 'Request' },
  )
}

/** The head of the page has the status. */
function size({ bytes, aborted }: RequestData): SafeHtml {
  return html`${bytes === null ? null : `, ${formatBytes(bytes)}`} ${aborted ? badge('aborted', 'error') : null}`
}

function body(title: string, found: RequestData['body']): SafeHtml | null {
  if (found === undefined) return null
  return html`<h3>${title}</h3>
    ${bodyView(found)}`
}

function fields(title: string, list: Fields): SafeHtml | null {
  if (list.length === 0) return null
  return html`<h3>${title}</h3>
    ${pairs(title, list)}`
}

function pairs(caption: string, list: Fields): SafeHtml {
  const rows = list.map(([name, value]) => [name, verbatim(value, 8192)] as const)
  return keyValueTable(rows, { caption, empty: 'No headers.' })
}

function subRequests({ subRequests }: RequestData, view: PanelView): SafeHtml | null {
  if (subRequests.length === 0) return null
  const items = subRequests.map(({ handler, token, status, durationMs }) => [
    recorded(handler),
    { profile: token },
    { mark: status === 0 ? 'no response' : String(status), tone: profileTone({ status }) },
    { quiet: formatDuration(durationMs) },
  ])
  return drawBlocks([heading('Sub-requests'), { kind: 'list', items }], 'sub-request', view)
}

/** The profiles that led here. Those of another version may hold anything. */
function redirects(steps: NonNullable<RequestData['redirectedBy']>, linkTo: PanelView['linkTo']): SafeHtml {
  return html`${steps.map(({ token, method, status }) => html`<a href="${linkTo(token)}">${cutText(method, 20)} ${status}</a> `)}`
}

/** The command, and what is missing in it. */
function repeatSection(profile: Profile): SafeHtml {
  const repeatable = repeatableRequest(profile)
  if (repeatable.state === 'impossible') return emptyState(repeatable.problem)
  const { request } = repeatable
  const { body, missing } = request
  return html`${command(curlCommand(request))}
  ${missing.length === 0 ? null : html`<p class="muted small">Masked, so fill in: ${missing.map(missingText).join(', ')}.</p>`}
  ${body.state === 'missing' ? html`<p class="muted small">Without the body.</p>` : null}`
}

function command(text: string): SafeHtml {
  return fold(
    'cURL',
    html`<div data-command>
      <button class="button screen-only" type="button" hidden>
        <span>Copy</span><span class="visually-hidden"> the cURL command</span>
      </button>
      <pre class="block mono" tabindex="0" aria-label="cURL command">${text}</pre>
    </div>`,
  )
}
