// The toolbar: what it says of a request, and its markup in a shadow root.

import { recordedRoute } from '../../observe/recorded-route.ts'
import { brandMark, timeGlyph } from '../../base/html/arc.ts'
import { formatBytes, formatDuration, statusTone, type Tone } from '../../base/html/components.ts'
import { html, trusted, type SafeHtml } from '../../base/html/html.ts'
import { countOf } from '../../base/html/page-budget.ts'
import { toolbarScript, toolbarStyles } from './toolbar-assets.ts'
import { httpClientName } from '../../observe/outgoing/http-client-data.ts'
import { databaseName, type QueryTally } from '../../observe/outgoing/queries.ts'
import type { Collector } from '../../observe/collector.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { isErrorLevel, type LogLevel } from '../../base/log/logger.ts'
import { errorClassOf } from '../../observe/collectors/exception.ts'
import type { Recording } from '../../http/recording/recording.ts'
import { usedSoFar, type UsedSoFar } from '../../measuring/request-meter.ts'
import { dumpName } from '../../observe/dump.ts'
import type { LockView } from '../../profiles/lock.ts'
import type { Panel, ToolbarNote } from '../panel.ts'
import { reloadScript } from '../reload-page.ts'
import { redirectsTo } from '../../profiles/request-findings.ts'
import type { RedirectStep } from '../../observe/request-record.ts'

interface ToolbarPlace {
  readonly profilerPath: string
  /** Whether the page reloads itself when the application was started again. */
  readonly reloads: boolean
  readonly nonce: string
}

/** The element and its script. ASCII only, so that it fits in a page of any charset that is built on ASCII. */
export function renderToolbar(facts: ToolbarFacts, { profilerPath, reloads, nonce }: ToolbarPlace): string {
  const link = (panel: string): string => `${profilerPath}/${facts.token}?panel=${panel}&type=request`
  const styles = trusted(`<style nonce="${nonce}">${String(toolbarStyles)}</style>`)
  const script = trusted(
    `<script nonce="${nonce}">${String(toolbarScript)}${reloads ? String(reloadScript(profilerPath)) : ''}</script>`,
  )
  const markup = html`<fanlight-toolbar data-profiler="${profilerPath}"
      ><template shadowrootmode="open"
        >${styles}
        <section class="toolbar" aria-label="Fanlight toolbar">
          <div class="bar">
            <a class="status tone-${statusTone(facts.status)}" href="${link('request')}"
              ><span class="hidden">Status </span>${facts.status}</a
            >
            ${routeItem(facts, link('router'))} ${timeItem(facts, link('time'))} ${memoryItem(facts, link('time'))}
            ${facts.errorClass === null ? null : html`<a class="item tone-error" href="${link('exception')}">${facts.errorClass}</a>`}
            <a class="item tone-error" id="browser" href="${link('browser')}" hidden
              ><span class="name kept">Browser</span> <span id="browser-errors"></span
            ></a>
            ${logItem(facts, link('logger'))} ${queryItem(facts, link('database'))}
            ${callItem(facts, link('http-client'))} ${dumpItem(facts, link('dump'))}
            ${facts.items.map((item) => pluginItem(item, item.page === undefined ? link(item.panel) : `${profilerPath}/${item.page}`))}
            ${redirectItem(facts, profilerPath)}
            <div class="spot" id="requests" hidden>
              <button class="item" id="open-requests" type="button" aria-expanded="false" aria-controls="list">
                <span class="name kept">Requests</span> <span id="count">0</span>
              </button>
              <div class="panel">
                <h2>Requests by this page</h2>
                <ol id="list"></ol>
              </div>
            </div>
            <a class="item token" id="profile" href="${profilerPath}/${facts.token}" title="Open the profile"
              ><span class="name">Profile</span> ${brandMark}<b>Fanlight</b></a
            >
            <button class="item close" id="close" type="button" aria-label="Close the toolbar" hidden>&#215;</button>
          </div>
          <button class="reopen" id="reopen" type="button" hidden>
            <span class="hidden">Open the toolbar, status </span>${facts.status}
          </button>
        </section></template
      ></fanlight-toolbar
    >${script}`
  return asAscii(String(markup))
}

function routeItem({ route }: ToolbarFacts, link: string): SafeHtml {
  return html`<a class="item route" href="${link}"><span class="name">Route</span> ${route ?? 'none'}</a>`
}

/** An item with a panel of its facts, which opens above it on hover and focus. */
function spot(
  item: SafeHtml,
  title: string,
  facts: readonly (readonly [name: string, value: string | number, className?: string])[],
): SafeHtml {
  return html`<div class="spot">
    ${item}
    <div class="panel">
      <h2>${title}</h2>
      <dl>
        ${facts.map(
          ([name, value, className = '']) =>
            html`<dt class="${className}">${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
    </div>
  </div> `
}

function timeItem({ durationMs, used }: ToolbarFacts, link: string): SafeHtml {
  if (used === undefined) {
    return html`<a class="item" href="${link}"><span class="name">Time</span> ${formatDuration(durationMs)}</a>`
  }
  const { ownMs, loopWaitMs: loopMs } = used
  const waitMs = Math.max(0, durationMs - ownMs - loopMs)
  const item = html`<a class="item" href="${link}"
    ><span class="name">Time</span> ${timeGlyph({ ownMs, loopMs, waitMs })} ${formatDuration(durationMs)}</a
  >`
  return spot(item, 'Where the time went', [
    ['Own code', formatDuration(ownMs), 'share-own'],
    ['Waiting for the event loop', formatDuration(loopMs), 'share-loop'],
    ['Waiting for I/O', formatDuration(waitMs), 'share-io'],
  ])
}

function memoryItem({ used }: ToolbarFacts, link: string): SafeHtml | null {
  if (used === undefined) return null
  const { heapBefore, heapUsed, resident } = used
  const change = heapUsed - heapBefore
  const item = html`<a class="item memory" href="${link}"><span class="name">Heap</span> ${formatBytes(heapUsed)}</a>`
  return spot(item, 'Memory of the process', [
    ['Heap', formatBytes(heapUsed)],
    ['Since this request began', `${change < 0 ? '\u2212' : '+'}${formatBytes(Math.abs(change))}`],
    ['Resident', formatBytes(resident)],
  ])
}

function logItem({ logCounts }: ToolbarFacts, link: string): SafeHtml | null {
  const total = [...logCounts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const errors = [...logCounts].reduce((sum, [level, count]) => (isErrorLevel(level) ? sum + count : sum), 0)
  const warnings = logCounts.get('warn') ?? 0
  const tone: Tone = errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'neutral'
  const count = errors > 0 ? countOf(errors, 'error') : warnings > 0 ? countOf(warnings, 'warning') : total
  const item = html`<a class="item tone-${tone}" href="${link}"><span class="name kept">Log</span> ${count}</a>`
  return spot(item, countOf(total, 'line'), [...logCounts])
}

function queryItem({ queries }: ToolbarFacts, link: string): SafeHtml | null {
  if (queries === null || queries.sent === 0) return null
  const { sent, alike, failed } = queries
  const tone: Tone = failed > 0 ? 'error' : alike > 0 ? 'warning' : 'neutral'
  const more = failed > 0 ? `, ${failed} failed` : alike > 0 ? `, ${alike} repeated` : null
  const item = html`<a class="item tone-${tone}" href="${link}">${countOf(sent, 'query', 'queries')}${remark(more)}</a>`
  return spot(item, 'Database', [
    ['Queries', sent],
    ['Most often repeated', alike === 0 ? 'none' : `${alike} times`],
    ['Failed', failed],
  ])
}

/** Narrow windows leave it to the colour and to the panel. */
function remark(text: string | null): SafeHtml | null {
  return text === null ? null : html`<span class="more">${text}</span>`
}

function callItem({ calls }: ToolbarFacts, link: string): SafeHtml | null {
  if (calls === null || calls.made === 0) return null
  const { made, failed } = calls
  const more = failed === 0 ? null : `, ${failed} failed`
  const item = html`<a class="item tone-${failed > 0 ? 'error' : 'neutral'}" href="${link}"
    >${countOf(made, 'outgoing request')}${remark(more)}</a
  >`
  return spot(item, 'HTTP client', [
    ['Outgoing requests', made],
    ['Failed', failed],
  ])
}

function dumpItem({ dumpCount }: ToolbarFacts, link: string): SafeHtml | null {
  return dumpCount === 0 ? null : html`<a class="item" href="${link}">${countOf(dumpCount, 'dump')}</a>`
}

function pluginItem({ title, text, tone }: ToolbarItem, link: string): SafeHtml {
  return html`<a class="item plugin tone-${tone}" href="${link}"><span class="name">${title}</span> ${text}</a>`
}

function redirectItem({ redirects }: ToolbarFacts, profilerPath: string): SafeHtml | null {
  if (redirects.length === 0) return null
  return html`<span class="item redirects"
    ><span class="name">Redirected from</span>
    ${redirects.map(({ token, method, status }) => html` <a href="${profilerPath}/${token}">${method} ${status}</a>`)}</span
  >`
}

function asAscii(markup: string): string {
  return markup.replace(/[^\p{ASCII}]/gu, (character) => `&#${character.codePointAt(0)};`)
}

interface ToolbarItem extends ToolbarNote {
  readonly panel: string
  /** A page beside the profiles, below the profiler's path. Default: the panel. */
  readonly page?: string
  readonly title: string
}

export type ToolbarItemReader = (exchange: Exchange) => ToolbarItem | undefined

/** Says that the application closes soon. */
export function lockItemReader({ announced }: LockView): ToolbarItemReader {
  return () => {
    const window = announced()
    if (window === null) return undefined
    const time = `${window.from.slice(11, 16)} UTC`
    return { panel: 'request', page: 'lock', title: 'Lock', text: `Closes at ${time}`, tone: 'warning' }
  }
}

/** The reader for a panel and the collector of its name; a throw leaves the item out. */
export function toolbarItemReader({ name, title, toolbar }: Panel, collector: Collector): ToolbarItemReader {
  return (exchange) => {
    try {
      const data = collector.collect(exchange)
      const note = data === undefined ? undefined : toolbar?.(data)
      return note === undefined ? undefined : { ...note, panel: name, title }
    } catch {
      return undefined
    }
  }
}

interface ToolbarFacts {
  readonly token: string
  readonly status: number
  readonly route: string | null
  /** Milliseconds until the response, or its last byte, was sent. */
  readonly durationMs: number
  /** Lines of the log by level, in the order in which the levels came. */
  readonly logCounts: ReadonlyMap<LogLevel, number>
  /** Default: not measured. */
  readonly used: UsedSoFar | undefined
  /** Class of an error that was thrown although there is a response, or `null`. */
  readonly errorClass: string | null
  readonly items: readonly ToolbarItem[]
  /** Queries to databases and caches so far; `null` if none was sent. */
  readonly queries: QueryTally | null
  /** Calls to other services so far; `null` where none was made. */
  readonly calls: { readonly made: number; readonly failed: number } | null
  readonly dumpCount: number
  /** The requests that redirected here, oldest first. */
  readonly redirects: readonly RedirectStep[]
}

export function toolbarFacts(
  exchange: Exchange,
  recording: Recording,
  { status, items }: Pick<ToolbarFacts, 'status' | 'items'>,
): ToolbarFacts {
  const logCounts = new Map<LogLevel, number>()
  for (const { level } of recording.logger.records) logCounts.set(level, (logCounts.get(level) ?? 0) + 1)
  const dumps = recording.kept(dumpName)
  return {
    token: recording.token,
    status,
    route: recordedRoute(exchange, recording.redactor)?.name ?? null,
    durationMs: recording.durationMs,
    logCounts,
    used: usedSoFar(recording),
    errorClass: errorClassOf(recording),
    items,
    queries: recording.kept(databaseName)?.tally() ?? null,
    calls: recording.kept(httpClientName)?.tally() ?? null,
    dumpCount: dumps === undefined ? 0 : dumps.dumps.length + dumps.dropped,
    redirects: redirectsTo(recording),
  }
}
