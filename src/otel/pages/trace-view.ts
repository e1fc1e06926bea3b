// The trace as people see it: a lane for each service, a row for each span.

import { countOf, cutMark } from '../../base/html/page-budget.ts'
import { badge, formatCount, formatDuration, formatTime, keyValueTable, note } from '../../base/html/components.ts'
import { type SafeHtml, html } from '../../base/html/html.ts'
import { styleSheet } from '../../base/html/style-sheet.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { isoTime, shortened } from '../../profiles/profile-facts.ts'
import type { ShownRows, TraceRow } from '../traces/trace-rows.ts'
import { detailOf, failureOf, insideText, shownRows, traceNotes, traceSummary } from '../traces/trace-rows.ts'
import type { PlacedSpan, Trace, TraceLine, TraceService } from '../traces/trace.ts'
import { axis, laneBar, scale, tickPercent, timelineStyles } from '../../pages/panels/timeline-bars.ts'
import type { Grid, LanePiece } from '../../pages/panels/timeline-bars.ts'
import type { Asked } from '../../pages/questions/question.ts'
import type { PageTools } from '../../pages/profiler-page.ts'

const maxDetail = 160
/** Levels that a row is indented by at most. */
const maxIndent = 8
/** Services that have a lane. */
const maxLanes = 12

/** Of a trace; a list of traces has none. */
export function traceDrawing(
  found: object,
  { values: { span, from } }: Asked,
  { options: { profilerPath }, linkTo }: PageTools,
): { readonly content: SafeHtml; readonly styles: readonly SafeHtml[] } | undefined {
  if (!isTrace(found)) return undefined
  const spanId = typeof span === 'string' ? span : null
  const shown = shownRows(found, spanId, Number(from))
  return (
    shown && {
      content: traceView(found, { ...shown, span: spanId, profilerPath, linkTo }),
      styles: [timelineStyles, traceStyles, traceGridStyles(found)],
    }
  )
}

function isTrace(found: object): found is Trace {
  return 'traceId' in found
}

function traceView(trace: Trace, view: TraceView): SafeHtml {
  const { traceId, services, durationMs, startTime } = trace
  const place = placeOf(trace, view)
  return html`<p class="row trace-facts">
      <b>${traceSummary(trace)}</b>
      <span class="muted"><time datetime="${isoTime(startTime)}">${formatTime(startTime)}</time> UTC</span>
      <span class="mono muted">${traceId}</span>
      <a class="screen-only" href="${view.profilerPath}/?trace=${traceId}">Profiles of this trace</a>
    </p>
    ${traceNotes(trace, nameOf).map((sentence) => note(sentence))}
    ${view.span === null ? null : spanCard(trace, view.span, place)}
    <table class="table timeline trace">
      <caption class="visually-hidden">
        Spans in the order they began, each below the one it is inside of
      </caption>
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" class="number">Start</th>
          <th scope="col"><span class="visually-hidden">0 – ${formatDuration(durationMs)}</span>${axis(place.grid)}</th>
        </tr>
      </thead>
      <tbody class="lanes">
        ${services.slice(0, maxLanes).map((service) => serviceLane(service, trace, place))}
      </tbody>
      <tbody>
        ${view.rows.map((row) => spanRow(row, place))}
      </tbody>
    </table>
    ${services.length > maxLanes ? html`<p class="muted small">${countOf(services.length - maxLanes, 'more service has', 'more services have')} no lane above.</p>` : null}
    ${!view.isCut ? null : html`<p class="muted small">What is inside the deepest of these spans is not shown. Choose a span to look into it.</p>`}
    ${pager(place)} ${logLines(trace.lines)}`
}

/** All spans of a service that are not inside another one of it. */
function serviceLane(service: TraceService, { spans }: Trace, place: TracePlace): SafeHtml {
  const { name, spanCount, errorCount } = service
  const own = spans.filter((span) => span.service === name)
  const said = `${countOf(spanCount, 'span')}${errorCount === 0 ? '' : `, ${countOf(errorCount, 'error')}`}`
  return html`<tr>
    <td class="span-name">${swatch(name, place)}${nameOf(name)} <span class="muted small">${said}</span></td>
    <td class="number muted span-start">
      ${formatDuration(own.reduce((least, { startMs }) => Math.min(least, startMs), Infinity))}
    </td>
    <td class="span-bar">${laneBar(joined(own, place.grid), place.grid, colourOf(name, place), '')}</td>
  </tr> `
}

/** Pieces closer than this share of the axis are drawn as one. */
const finest = 1 / 300

function joined(spans: readonly PlacedSpan[], { totalMs }: Grid): readonly LanePiece[] {
  const pieces: { fromMs: number; forMs: number }[] = []
  for (const { startMs, durationMs } of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = pieces.at(-1)
    if (last === undefined || startMs > last.fromMs + last.forMs + totalMs * finest) {
      pieces.push({ fromMs: startMs, forMs: durationMs })
    } else last.forMs = Math.max(last.forMs, startMs + durationMs - last.fromMs)
  }
  return pieces
}

function spanRow(row: TraceRow, place: TracePlace): SafeHtml {
  const [span] = row
  const depth = span.depth - place.baseDepth
  const { service, startMs, durationMs, inside } = span
  const isRepeat = row.length > 1
  const sumMs = row.reduce((sum, one) => sum + one.durationMs, 0)
  const pieces = isRepeat ? joined(row, place.grid) : [{ fromMs: startMs, forMs: durationMs }]
  const said = isRepeat ? `${formatDuration(sumMs)} total` : formatDuration(durationMs)
  const failure = failureOf(span)
  const isError = span.status === 'error' || failure !== null
  const detail = detailOf(span)
  const lines = span.events.filter(({ name }) => name === 'log').length
  return html`<tr class="${isError ? 'tone-error' : ''}">
    <td class="span-name">
      <div class="depth-${Math.min(depth, maxIndent)}">
        ${swatch(service, place)}${depth > maxIndent ? html`<span class="muted small">${depth} </span>` : null}${isRepeat ? html`<b>${row.length} ×</b> ` : null}<a
          href="${addressOf(place, { span: span.spanId })}"
          title="${nameOf(service)}"
          >${cutText(span.name, maxName) || 'unnamed'}</a
        >${inside === 0 ? null : html` <span class="muted small" title="${insideText(span)}">+${formatCount(inside)}</span>${span.errorsInside === 0 ? null : html` ${badge(`${formatCount(span.errorsInside)} ✗`, 'error')}`}`}${profileLink(span, place)}${isError ? html` ${badge('error', 'error')}` : null}${parentMark(span)}${failure === null || failure === '' ? null : html` <span class="small">${shortened(failure, maxDetail)}</span>`}${detail === '' ? null : html` <span class="muted small span-detail">${shortened(detail, maxDetail)}</span>`}${lines === 0 ? null : html` <span class="muted small">${countOf(lines, 'log line')}</span>`}
      </div>
    </td>
    <td class="number muted span-start">${formatDuration(startMs)}</td>
    <td class="span-bar">${laneBar(pieces, place.grid, colourOf(service, place), said)}</td>
  </tr> `
}

/** For the request of a profile; its inner spans are on the same page. */
function profileLink({ hasProfile, kind, token, depth, parent }: PlacedSpan, { linkTo }: TracePlace): SafeHtml | null {
  const isOutermost = kind === 'server' || depth === 0 || parent !== 'there'
  return hasProfile && isOutermost ? html` <a class="small" href="${linkTo(token, 'time')}">profile</a>` : null
}

function parentMark({ parent }: PlacedSpan): SafeHtml | null {
  if (parent === 'missing') return html` ${badge('parent missing', 'warning')}`
  return parent === 'circle' ? html` ${badge('inside itself', 'warning')}` : null
}

function pager(place: TracePlace): SafeHtml | null {
  const { rows, before, after, span } = place
  if (before === 0 && after === 0) return null
  return html`<p class="row spread">
    <span class="muted small">Rows ${before + 1} to ${before + rows.length} of ${before + rows.length + after}</span>
    <span class="row screen-only">
      ${before === 0 ? null : html`<a class="button" href="${addressOf(place, { span })}">First rows</a>`}
      ${after === 0 ? null : html`<a class="button" rel="next" href="${addressOf(place, { span, from: before + rows.length + 1 })}">Next rows</a>`}
    </span>
  </p>`
}

function logLines(lines: readonly TraceLine[]): SafeHtml | null {
  if (lines.length === 0) return null
  return html`<h2>Log lines without a span</h2>
    ${keyValueTable(
      lines.map(({ service, time, attributes }) => [
        `${formatTime(time)} ${nameOf(service)}`,
        `${String(attributes['log.severity'] ?? '')} ${cutText(String(attributes['log.message'] ?? ''), 1000)}`,
      ]),
      { caption: 'Log lines without a span' },
    )}`
}

/** The lines of the axis behind all bars. */
function traceGridStyles({ durationMs }: Trace): SafeHtml {
  return styleSheet(`
.table.trace td.span-bar { background-image: repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px calc(${tickPercent(durationMs)} / ${scale / 100}));
  background-origin: content-box; background-size: calc(${scale}% + 1px) 100%; background-repeat: no-repeat repeat }
`)
}

const traceStyles: SafeHtml = styleSheet(`
.trace-facts { gap: var(--space-1) var(--space-4); margin: var(--space-3) 0 }
.swatch { display: inline-block; width: .7rem; height: .7rem; margin-right: .35rem; vertical-align: -.05rem; background: var(--bar); forced-color-adjust: none }
.trace-span { margin: var(--space-3) 0; padding: var(--space-3) }
.trace-span h2 { margin: 0; font-size: var(--size-large) }
.pre { white-space: pre-wrap }
.depth-5 { padding-left: 5.5rem } .depth-6 { padding-left: 6.6rem } .depth-7 { padding-left: 7.7rem } .depth-8 { padding-left: 8.8rem }
.service-0 { --bar: light-dark(#2f6fd0, #5b9bf3) } .service-1 { --bar: light-dark(#b8502a, #e0794f) }
.service-2 { --bar: light-dark(#23834f, #41b375) } .service-3 { --bar: light-dark(#8f45b0, #bd7edb) }
.service-4 { --bar: light-dark(#a4760a, #d9a62e) } .service-5 { --bar: light-dark(#157f88, #3fb6c0) }
.service-6 { --bar: light-dark(#b03a6a, #e583ab) } .service-7 { --bar: light-dark(#6b7a90, #8593a8) }
@media (max-width: 40rem) {
  .trace [class^=depth-] { padding-left: 0 }
  .trace .depth-1 { padding-left: .5rem } .trace .depth-2 { padding-left: 1rem } .trace :is(.depth-3, .depth-4, .depth-5, .depth-6, .depth-7, .depth-8) { padding-left: 1.5rem }
  .trace .span-name > div:has(.tone-warning) { white-space: normal }
}
`)

/** Attributes and events shown of one span at most. */
const maxFacts = 100

/** What is known of the span that is looked at. */
function spanCard({ spans }: Trace, spanId: string, place: TracePlace): SafeHtml | null {
  const span = spans.find((one) => one.spanId === spanId)
  if (span === undefined) return null
  const { service, name, kind, startMs, durationMs, status, statusMessage, token, hasProfile, parentSpanId } = span
  const attributes = Object.entries(span.attributes)
  const parent = spans.find((one) => one.spanId === parentSpanId)
  return html`<section class="card trace-span">
    <h2>${swatch(service, place)} ${cutText(name, maxName)}</h2>
    <p class="row small">
      <a href="${addressOf(place, {})}">Whole trace</a>
      ${parent === undefined ? null : html`<a href="${addressOf(place, { span: parent.spanId })}">Up to ${shortened(parent.name, 60)}</a>`}
      ${hasProfile ? html`<a href="${place.linkTo(token)}">Profile ${token}</a>` : null}
    </p>
    ${keyValueTable(
      [
        ['Service', nameOf(service)],
        ['Kind', kind],
        ['Start', formatDuration(startMs)],
        ['Duration', formatDuration(durationMs)],
        ['Status', statusMessage === null ? status : `${status}: ${cutText(statusMessage, 1000)}`],
        ...attributes
          .slice(0, maxFacts)
          .map(([key, value]) => [cutText(key, maxName), cutText(String(value), 1000)] as const),
      ],
      { caption: 'Span' },
    )}
    ${attributes.length > maxFacts ? cutMark(`${countOf(attributes.length - maxFacts, 'more attribute')} not shown.`) : null}
    ${span.events.length === 0 ? null : spanEvents(span)}
  </section>`
}

function spanEvents({ events }: PlacedSpan): SafeHtml {
  const rows = events.slice(0, maxFacts).map(({ name, time, attributes }) => {
    const text = Object.entries(attributes).map(([key, value]) => `${key}: ${String(value)}`)
    return [
      `${formatTime(time)} ${cutText(name, 60)}`,
      html`<span class="pre">${cutText(text.join('\n'), 2000)}</span>`,
    ] as const
  })
  return html`<h3>Events</h3>
    ${keyValueTable(rows, { caption: 'Events' })}
    ${events.length > maxFacts ? cutMark(`${countOf(events.length - maxFacts, 'more event')} not shown.`) : null}`
}

interface TraceView extends ShownRows {
  /** The span that is looked at; `null`: the whole trace. */
  readonly span: string | null
  readonly profilerPath: string
  readonly linkTo: (token: string, panel?: string) => string
}

interface TracePlace extends TraceView {
  readonly traceId: string
  readonly grid: Grid
  /** Place of each service in the order of the trace: its colour. */
  readonly colours: ReadonlyMap<string | null, number>
}

const maxName = 200
const colourCount = 8

function placeOf({ traceId, services, durationMs }: Trace, view: TraceView): TracePlace {
  return {
    ...view,
    traceId,
    grid: { id: null, totalMs: durationMs },
    colours: new Map(services.map(({ name }, index) => [name, index % colourCount])),
  }
}

function nameOf(service: string | null): string {
  return service === null ? 'an unnamed service' : cutText(service, maxName)
}

function colourOf(service: string | null, { colours }: TracePlace): string {
  return `service-${colours.get(service) ?? 0}`
}

function swatch(service: string | null, place: TracePlace): SafeHtml {
  return html`<i class="swatch ${colourOf(service, place)}" aria-hidden="true"></i>`
}

function addressOf(
  { profilerPath, traceId }: TracePlace,
  { span, from }: { span?: string | null; from?: number },
): string {
  const parts = [
    `id=${traceId}`,
    ...(span === undefined || span === null ? [] : [`span=${span}`]),
    ...(from === undefined ? [] : [`from=${from}`]),
  ]
  return `${profilerPath}/trace?${parts.join('&')}`
}
