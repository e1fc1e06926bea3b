// The built-in panels, in the order of the menu, with those of requests, errors and memory.

import {
  emptyState,
  statusTone,
  badge,
  formatBytes,
  formatDuration,
  keyValueTable,
  columnHead,
  dataTable,
} from '../../../framework/html/components.ts'
import type { DescribedPart } from '../../blocks/described-part.ts'
import { drawBlocks } from '../draw-blocks.ts'
import type { Panel, PanelView } from '../panel.ts'
import { copyMenu } from '../../../errors/page/copy-buttons.ts'
import { headline } from '../../../errors/page/headline.ts'
import { countOf, verbatim, PageBudget } from '../../../errors/page/page-budget.ts'
import { valuesPart } from '../../../errors/page/side-column.ts'
import { countErrors, traceList } from '../../../errors/page/trace-list.ts'
import type { ExplainedChain } from '../../../errors/value-origin.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { describedParts } from '../../described-parts.ts'
import { browserPanel } from './browser.ts'
import { measureAgain } from './measure-again.ts'
import { codePart } from '../../ran/code-part.ts'
import type { RanCode } from '../../ran/ran-code.ts'
import { routerPart, type RouterData } from '../../collectors/router.ts'
import { cpuPanel } from './cpu.ts'
import { databasePanel } from './database.ts'
import { loggerPanel } from './logger.ts'
import { timePanel } from './time.ts'
import { bodyView } from '../../../errors/page/request-section.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { Fields, RequestData } from '../../collectors/request.ts'
import { repeatSection } from '../export/repeat-section.ts'
import { redirectStatuses, statusText } from '../../../framework/http/status-text.ts'
import { profileTone } from '../../query/profile-facts.ts'
import * as v from 'valibot'
import type { EditorLink } from '../../../errors/page/editor-link.ts'
import type { AllocatingFunctionData, MemoryData } from '../../collectors/memory.ts'
import type { MemoryShares } from '../../collectors/time.ts'
import type { GarbagePause } from '../../measuring/request-meter.ts'
import type { Profile } from '../../profile.ts'
import { functionLink } from './flame-graph.ts'

export function describedPanel<Data>({ empty, draw, noun = 'entry', of, ...part }: DescribedPart<Data>): Panel<Data> {
  return {
    ...part,
    ...(of !== undefined && { of }),
    render: (data, view) =>
      data === undefined
        ? emptyState(typeof empty === 'string' ? empty : empty(view.profile))
        : drawBlocks(draw(data, view.profile), noun, view),
  }
}

const lines = describedPanel(codePart)

/** With the button that runs the request again. */
const codePanel: Panel<RanCode> = {
  ...lines,
  render: (data, view) =>
    html`${lines.render(data, view)} ${measureAgain(view.profile, 'code', 'Run again with values')}`,
}

const routing = describedPanel(routerPart)

/** With the link that tries the request again. */
const routerPanel: Panel<RouterData> = {
  ...routing,
  render: (data, view) => {
    const { method, url } = view.profile
    const again = new URLSearchParams({ method, url }).toString()
    return html`${routing.render(data, view)}
    ${data === undefined ? null : html`<p class="small try-again"><a href="${view.linkTo('routes')}?${again}">Try this request in the route table</a></p>`}`
  },
}

export const exceptionPanel: Panel<ExplainedChain> = {
  name: 'exception',
  title: 'Exception',
  badge: (chain) => ({ count: countErrors(chain), tone: 'error', hint: countOf(countErrors(chain), 'error') }),
  render: (chain, { editor, profile, linkTo }) => {
    if (chain === undefined || chain.errors.length === 0) return emptyState('Nothing was thrown during this request.')
    const link = linkTo(profile.token, 'exception')
    // A profile in a file has neither script nor server: there its links are anchors.
    const copy = link.startsWith('#') ? null : copyMenu({ address: link.replace('?', '.md?') })
    return html`${headline(chain, {
        statusCode: profile.status,
        fallback: 'This error has no message.',
        beside: copy,
        isTitle: false,
      })}
      <div class="with-side tone-${statusTone(profile.status)}">
        ${traceList(chain, { ...chain, editor, isUnderHeadline: true })}
        <div class="side">${valuesPart(chain)}</div>
      </div>`
  },
}

const requestPanel: Panel<RequestData> = {
  name: 'request',
  title: 'Request / Response',
  of: 'requests',
  render: (data, view) => {
    if (data === undefined) return emptyState('The request was not recorded.')
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
      <h3>Replay</h3>
      ${repeatSection(view.profile)}
      <h3>Response</h3>
      ${responseLine(data)} ${fields('Response headers', data.responseHeaders)} ${subRequests(data, view)}`
  },
}

/** One sentence for all that a request may have and this one has not. */
function missing({ query, routeParameters, cookies, headers, body }: RequestData): SafeHtml | null {
  const lists = { query, 'route parameters': routeParameters, cookies, headers, body: body === undefined ? [] : [body] }
  const parts = Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [name] : []))
  return parts.length === 0 ? null : html`<p class="muted">The request has no ${inWords.format(parts)}.</p>`
}

const inWords = new Intl.ListFormat('en', { type: 'disjunction' })

function requestLine(data: RequestData): SafeHtml {
  const { clientAddress, peerAddress } = data
  return keyValueTable(
    [
      ['Method', data.method],
      ['URL', data.url],
      ['Raw path', data.path],
      ['Client', clientAddress === peerAddress ? clientAddress : `${clientAddress} via ${peerAddress}`],
    ],
    { caption: 'Request' },
  )
}

function responseLine({ status, bytes, aborted }: RequestData): SafeHtml {
  return keyValueTable(
    [
      ['Status', status === 0 ? 'none was sent' : badge(status, statusTone(status))],
      ['Body', bytes === null ? 'unknown' : formatBytes(bytes)],
      ...(aborted ? [['Complete', 'no, the response was cut off'] as const] : []),
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
            ${sub.status === 0 ? badge('no response', 'error') : badge(sub.status, statusTone(sub.status))}
            <span class="muted">${formatDuration(sub.durationMs)}</span>
          </li> `,
      )}
    </ul>`
}

function requestOverview(data: RequestData, { profile, linkTo }: PanelView): SafeHtml {
  const panel = (name: string): string => linkTo(profile.token, name)
  return html`<dl class="overview card">
    ${entry('Response', outcome(data, profile.status))} ${redirectsTo(data)} ${redirectedBy(data, linkTo)}
    ${entry('Route', data.route === null ? html`<a href="${panel('router')}">No route matched</a>` : html`<a href="${panel('router')}">${data.route}</a>`)}
    ${entry('Handled by', profile.handler || (data.route === null ? 'nothing' : 'a function without a name'))}
    ${entry('Time', html`<a href="${panel('time')}">${formatDuration(profile.durationMs)}</a>`)}
    ${profile.errorClass === null ? null : entry('Exception', html`<a href="${panel('exception')}">${profile.errorClass}</a>`)}
    ${entry('Log', html`<a href="${panel('logger')}">${logCounts(profile)}</a>`)}
  </dl>`
}

function entry(name: string, value: SafeHtml | string): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div> `
}

function outcome({ bytes, aborted }: RequestData, status: number): SafeHtml {
  if (status === 0) return badge('no response', 'error')
  const size = bytes === null ? null : html` <span class="muted">${formatBytes(bytes)}</span>`
  return html`${badge(`${status} ${statusText(status)}`, profileTone({ status }))}${aborted ? badge('aborted', 'error') : size}`
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

function logCounts({ logCount, logErrorCount }: PanelView['profile']): string {
  const lines = logCount === 1 ? '1 line' : `${logCount} lines`
  if (logErrorCount === 0) return lines
  return `${lines}, ${logErrorCount === 1 ? '1 error' : `${logErrorCount} errors`}`
}

const tableBytes = 300_000
const maxFunctions = 60

export const memoryPanel: Panel<MemoryData> = {
  name: 'memory',
  title: 'Memory',
  of: 'requests',
  showsWithout: (profile) => processMemoryOf(profile) !== null,
  render: (data, { profile, editor }) =>
    html`${processMemoryOf(profile)}
      <h3>Allocations</h3>
      ${data === undefined ? emptyState('Allocations were not sampled. Record them by replaying this request.') : allocations(data, editor)}
      ${measureAgain(profile, 'memory', 'Replay with allocation sampling')}`,
}

function allocations(data: MemoryData, editor: EditorLink | undefined): SafeHtml {
  const { functions, dropped, totalBytes, isCut, startTookMs, stopTookMs } = data
  if (functions.length === 0) return emptyState('Too little was allocated for a sample.')
  const budget = new PageBudget(tableBytes)
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="4" class="muted">${countOf(missing + dropped, 'more function')} not shown.</td>
    </tr>`
  return html`<p>About ${formatBytes(totalBytes)} allocated by the process during this request (sampled every 8 KB).</p>
    ${isCut ? html`<p class="note tone-warning">Only the first minute of the request was sampled.</p>` : null}
    <div class="table-scroll" tabindex="0" role="region" aria-label="Allocations by function">
      ${dataTable(
        'functions',
        'Functions by the bytes that they allocated',
        [columnHead('Self', 'number'), columnHead('Total', 'number'), 'Function', columnHead('Origin', 'owner')],
        budget.list(functions, (one) => budget.spend(allocationRow(one, totalBytes, editor)), {
          rest,
          maxItems: maxFunctions,
        }),
      )}
    </div>
    <p class="muted small">
      Sampling blocked the process for ${formatDuration(startTookMs)} before the handler and for
      ${formatDuration(stopTookMs)} after the response.
    </p>`
}

function allocationRow(one: AllocatingFunctionData, totalBytes: number, editor: EditorLink | undefined): SafeHtml {
  const share = totalBytes > 0 ? Math.round((one.selfBytes / totalBytes) * 100) : 0
  return html`<tr>
    <td class="number">${formatBytes(one.selfBytes)} <span class="muted small">${share} %</span></td>
    <td class="number">${formatBytes(one.totalBytes)}</td>
    <td class="name">${cutText(one.name, 200)} ${functionLink(one, editor)}</td>
    <td class="owner">
      ${one.origin === 'own' ? badge('your code', 'success') : html`<span class="muted">${one.origin}</span>`}
    </td>
  </tr> `
}

function processMemory(memory: MemoryShares, pauses: readonly GarbagePause[]): SafeHtml {
  const { heapBefore, heapAfter, heapLimit, resident } = memory
  const change = heapAfter - heapBefore
  const pausedMs = pauses.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const kinds = [...new Set(pauses.map(({ kind }) => kind))].join(', ')
  const rows = [
    ['Heap before', formatBytes(heapBefore)],
    ['Heap after', `${formatBytes(heapAfter)} (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`],
    ['Heap limit', formatBytes(heapLimit)],
    ['Resident memory', formatBytes(resident)],
    [
      'GC pauses',
      pauses.length === 0
        ? 'none in this request'
        : `${countOf(pauses.length, 'pause')} (${kinds}), ${formatDuration(pausedMs)} total`,
    ],
  ] as const
  return html`${keyValueTable(rows, { caption: 'Memory of the process' })}
    <p class="muted small">
      Memory of the whole process, concurrent requests included. The heap is read at most every 5 ms, resident memory
      once a second.
    </p>`
}

const finite = v.pipe(v.number(), v.finite())
const timeSchema = v.object({
  memory: v.object({ heapBefore: finite, heapAfter: finite, heapLimit: finite, resident: finite }),
  garbagePauses: v.optional(
    v.array(
      v.object({
        kind: v.picklist(['minor', 'major', 'incremental', 'weak callbacks']),
        startMs: v.number(),
        durationMs: v.number(),
      }),
    ),
    [],
  ),
})

/** The same of a stored profile, which may hold anything; `null` if it was not measured. */
function processMemoryOf({ data }: Profile): SafeHtml | null {
  const read = v.safeParse(timeSchema, data['time'])
  return read.success ? processMemory(read.output.memory, read.output.garbagePauses) : null
}

/** Each draws the data of the collector of its name; the profile keeps that pairing. */
export const builtInPanels: readonly Panel[] = [
  asPanel(requestPanel),
  asPanel(exceptionPanel),
  ...described('findings'),
  asPanel(browserPanel),
  asPanel(codePanel),
  ...described('passed'),
  asPanel(timePanel),
  asPanel(cpuPanel),
  asPanel(memoryPanel),
  asPanel(loggerPanel),
  ...described('events'),
  asPanel(routerPanel),
  ...described('session', 'access', 'http-client'),
  asPanel(databasePanel),
  ...described('graphql', 'cache', 'connections', 'templates', 'mail', 'jobs', 'validation', 'ai', 'dump'),
  ...described('config', 'command', 'job', 'task'),
]

function described(...names: readonly string[]): readonly Panel[] {
  return names.flatMap((name) => describedParts.get(name) ?? []).map(describedPanel)
}

// A profile's data is plain JSON that the collector of the same name wrote, so the panel's own type is the right one.
function asPanel<Data>(panel: Panel<Data>): Panel {
  return panel as Panel
}
