// The toolbar: what it says of a request, and its markup in a shadow root.

import { formatDuration, statusTone, type Tone } from '../../../framework/html/components.ts'
import { html, trusted, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import { toolbarScript, toolbarStyles } from './toolbar-assets.ts'
import { httpClientName, type OutgoingRequests } from '../../capture/outgoing-requests.ts'
import { databaseName, type Queries, type QueryTally } from '../../capture/queries.ts'
import type { Collector } from '../../collector.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'
import { isErrorLevel } from '../../../framework/log/logger.ts'
import { errorClassOf } from '../../collectors/exception.ts'
import type { Recording } from '../../../framework/recording/recording.ts'
import { dumpName, type RecordedDumps } from '../../dump.ts'
import type { Panel, ToolbarNote } from '../panel.ts'
import type { RedirectStep } from '../../request-record.ts'

interface ToolbarPlace {
  readonly profilerPath: string
  readonly nonce: string
}

/** The element and its script. ASCII only, so that it stands in a page of any charset that is built on it. */
export function renderToolbar(facts: ToolbarFacts, { profilerPath, nonce }: ToolbarPlace): string {
  const link = (panel: string): string => `${profilerPath}/${facts.token}?panel=${panel}&type=request`
  const styles = trusted(`<style nonce="${nonce}">${String(toolbarStyles)}</style>`)
  const script = trusted(`<script nonce="${nonce}">${String(toolbarScript)}</script>`)
  const markup = html`<fanlight-toolbar data-profiler="${profilerPath}"
      ><template shadowrootmode="open"
        >${styles}
        <section class="toolbar" aria-label="Fanlight toolbar">
          <div class="requests" id="requests" hidden>
            <h2>Requests by this page</h2>
            <ol id="list"></ol>
          </div>
          <div class="bar">
            <a class="status tone-${statusTone(facts.status)}" href="${link('request')}"
              ><span class="hidden">Status </span>${facts.status}</a
            >
            ${routeItem(facts, link('router'))}
            <a class="item" href="${link('time')}"
              ><span class="name">Time</span> ${formatDuration(facts.durationMs)}</a
            >
            ${facts.errorClass === null ? null : html`<a class="item tone-error" href="${link('exception')}">${facts.errorClass}</a>`}
            ${logItem(facts, link('logger'))} ${queryItem(facts, link('database'))}
            ${callItem(facts, link('http-client'))} ${dumpItem(facts, link('dump'))}
            ${facts.items.map((item) => pluginItem(item, link(item.panel)))} ${redirectItem(facts, profilerPath)}
            <button class="item" id="open-requests" type="button" aria-expanded="false" aria-controls="requests" hidden>
              <span class="name">Requests</span> <span id="count">0</span>
            </button>
            <a class="item token" href="${profilerPath}/${facts.token}"
              ><span class="name">Profile</span> <span class="id">${facts.token}</span></a
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

function logItem({ errorLines, warningLines }: ToolbarFacts, link: string): SafeHtml | null {
  if (errorLines + warningLines === 0) return null
  const tone: Tone = errorLines > 0 ? 'error' : 'warning'
  const count = errorLines > 0 ? countOf(errorLines, 'error') : countOf(warningLines, 'warning')
  return html`<a class="item tone-${tone}" href="${link}"><span class="name">Log</span> ${count}</a>`
}

function queryItem({ queries }: ToolbarFacts, link: string): SafeHtml | null {
  if (queries === null || queries.sent === 0) return null
  const { sent, alike, failed } = queries
  const tone: Tone = failed > 0 ? 'error' : alike > 0 ? 'warning' : 'neutral'
  const more = failed > 0 ? `, ${failed} failed` : alike > 0 ? `, ${alike} repeated` : ''
  return html`<a class="item tone-${tone}" href="${link}">${countOf(sent, 'query', 'queries')}${more}</a>`
}

function callItem({ calls }: ToolbarFacts, link: string): SafeHtml | null {
  if (calls === null || calls.made === 0) return null
  const { made, failed } = calls
  const more = failed === 0 ? '' : `, ${failed} failed`
  return html`<a class="item tone-${failed > 0 ? 'error' : 'neutral'}" href="${link}"
    >${countOf(made, 'outgoing request')}${more}</a
  >`
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
  readonly title: string
}

export type ToolbarItemReader = (exchange: Exchange) => ToolbarItem | undefined

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
  /** Milliseconds until the answer, or its last byte, left. */
  readonly durationMs: number
  readonly errorLines: number
  readonly warningLines: number
  /** Class of an error that was thrown although there is an answer, or `null`. */
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
  { status, redirects, items }: Pick<ToolbarFacts, 'status' | 'redirects' | 'items'>,
): ToolbarFacts {
  const levels = recording.logger.records.map(({ level }) => level)
  const dumps = recording.kept(dumpName) as RecordedDumps | undefined
  // Only the capture keeps something under its names.
  return {
    token: recording.token,
    status,
    route: exchange.route?.name ?? null,
    durationMs: recording.durationMs,
    errorLines: levels.filter(isErrorLevel).length,
    warningLines: levels.filter((level) => level === 'warn').length,
    errorClass: errorClassOf(recording),
    items,
    queries: (recording.kept(databaseName) as Queries | undefined)?.tally() ?? null,
    calls: (recording.kept(httpClientName) as OutgoingRequests | undefined)?.tally() ?? null,
    dumpCount: dumps === undefined ? 0 : dumps.dumps.length + dumps.dropped,
    redirects,
  }
}
