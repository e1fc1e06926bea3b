// The timeline: one row per span, with lanes for CPU, event loop and GC on top.

import { formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { tokenPattern } from '../../profile.ts'
import type { Span } from '../../../framework/timing/span.ts'
import type { PanelView } from '../panel.ts'
import { bar, laneBar, type LanePiece, timelineControls } from './timeline-bars.ts'
import { shortened } from '../../query/profile-facts.ts'
import { type ShownTime, othersInTheWay } from './time-shares.ts'

const categories = new Set([
  'kernel',
  'listener',
  'controller',
  'store',
  'http',
  'sub-request',
  'template',
  'loading',
  'app',
])
const timelineBytes = 600_000
const maxDepth = 4

export function timeline(data: ShownTime, view: PanelView): SafeHtml {
  const { spans, durationMs } = data
  const budget = new PageBudget(timelineBytes)
  const overlaps = overlapsOf(spans)
  const row = rowOf(data, overlaps, view)
  const rows = gatherRepeats(spans, ({ id, category }) => !overlaps.has(id) && category !== 'sub-request')
  const lanes = lanesOf(data, view)
  const isNested = spans.some(({ parentId }) => parentId !== null)
  return html`${timelineControls(durationMs)}${legend(spans)}
    <table class="table timeline" data-timeline="${durationMs.toFixed(3)}">
      <caption class="visually-hidden">
        Spans in the order they began
      </caption>
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" class="number">Start</th>
          <th scope="col" class="number">Duration</th>
          <th scope="col" data-scale>0 – ${formatDuration(durationMs)}</th>
        </tr>
      </thead>
      ${
        lanes.length === 0
          ? null
          : html`<tbody class="lanes">
              ${lanes}
            </tbody>`
      }
      <tbody>
        ${budget.list(rows, (repeats) => budget.spend(row(repeats)), { rest: cutRow })}
      </tbody>
    </table>
    ${isNested ? html`<p class="muted small">Indented spans ran inside the span above. “parallel with 2” means that two other spans overlap; equal spans in a row share one line.</p>` : null}`
}

function legend(spans: readonly Span[]): SafeHtml {
  return html`<p class="legend">
    ${[...new Set(spans.map(categoryOf))].map(
      (name) =>
        html`<span
          ><svg viewBox="0 0 10 10" class="cat-${name}" aria-hidden="true"><rect width="10" height="10" /></svg
          >${name}</span
        > `,
    )}
  </p>`
}

function lanesOf(data: ShownTime, { linkTo }: PanelView): readonly SafeHtml[] {
  const { durationMs, stretches = [], garbagePauses = [] } = data
  const own: LanePiece[] = []
  for (let index = 0; index < stretches.length; index += 2) {
    own.push({ fromMs: stretches[index] ?? 0, forMs: (stretches[index + 1] ?? 0) - (stretches[index] ?? 0) })
  }
  const others = othersInTheWay(data)
    .filter(({ fromMs, durationMs: ms }) => fromMs + ms > 0)
    .map(({ token, method, path, fromMs, durationMs: ms }): LanePiece => {
      const name = token === null ? 'unrecorded work' : `${method ?? ''} ${path ?? ''}`
      const title = `${cutText(name, 200)}, ${formatDuration(ms)}`
      return {
        fromMs,
        forMs: ms,
        title,
        href: token !== null && tokenPattern.test(token) ? linkTo(token, 'time') : null,
      }
    })
  const garbage = garbagePauses.map(({ startMs, durationMs: ms }) => ({ fromMs: startMs, forMs: ms }))
  const lane = (name: string, className: string, pieces: readonly LanePiece[]): SafeHtml | null =>
    pieces.length === 0 ? null : laneRow(name, className, pieces, durationMs)
  return [
    lane('This request on CPU', 'share-own', own),
    lane('Others on CPU', 'share-loop', others),
    lane('GC pauses', 'cat-garbage', garbage),
  ].filter((drawn) => drawn !== null)
}

function laneRow(name: string, className: string, pieces: readonly LanePiece[], totalMs: number): SafeHtml {
  const sum = pieces.reduce((ms, { forMs }) => ms + forMs, 0)
  return html`<tr>
    <td class="span-name">${name}</td>
    <td class="number muted span-start">${formatDuration(Math.max(0, pieces[0]?.fromMs ?? 0))}</td>
    <td class="number span-duration">${formatDuration(sum)}</td>
    <td class="span-bar">${laneBar(pieces, totalMs, className)}</td>
  </tr> `
}

function rowOf(
  { spans, durationMs, subRequests }: ShownTime,
  overlaps: ReadonlyMap<number, number>,
  { linkTo }: PanelView,
): (repeats: readonly [Span, ...Span[]]) => SafeHtml {
  const depths = depthsOf(spans)
  const left = [...subRequests]
  return (repeats) => {
    const [span] = repeats
    if (repeats.length > 1) return repeatsRow(repeats, depths.get(span.id) ?? 0, durationMs)
    const place = span.category === 'sub-request' ? left.findIndex(({ handler }) => handler === span.name) : -1
    const [sub] = place < 0 ? [] : left.splice(place, 1)
    const name = cutText(span.name, 200)
    const label = sub === undefined ? html`${name}` : html`<a href="${linkTo(sub.token, 'time')}">${name}</a>`
    return spanRow(span, label, {
      depth: depths.get(span.id) ?? 0,
      overlaps: overlaps.get(span.id) ?? 0,
      totalMs: durationMs,
    })
  }
}

interface RowPlace {
  readonly depth: number
  readonly overlaps: number
  readonly totalMs: number
}

function spanRow(span: Span, label: SafeHtml, { depth, overlaps, totalMs }: RowPlace): SafeHtml {
  const durationMs = span.durationMs ?? Math.max(0, totalMs - span.startMs)
  return html`<tr data-from="${span.startMs.toFixed(3)}" data-for="${durationMs.toFixed(3)}">
    <td class="span-name">
      <div class="depth-${Math.min(depth, maxDepth)}">
        ${label}${spanDetail(span)}${span.status === 'error' ? html` <span class="badge tone-error">error</span>` : null}${overlaps === 0 ? null : html` <span class="muted small">parallel with ${overlaps}</span>`}
      </div>
    </td>
    <td class="number muted span-start">${formatDuration(span.startMs)}</td>
    <td class="number span-duration">${span.durationMs === null ? 'not ended' : formatDuration(durationMs)}</td>
    <td class="span-bar">${bar(span.startMs, durationMs, totalMs, `cat-${categoryOf(span)}`)}</td>
  </tr> `
}

/** One row for spans that repeat each other: how many, how long together, and a bar for each. */
function repeatsRow(repeats: readonly [Span, ...Span[]], depth: number, totalMs: number): SafeHtml {
  const [first] = repeats
  const pieces = repeats.map(({ startMs, durationMs }): LanePiece => ({ fromMs: startMs, forMs: durationMs ?? 0 }))
  const sumMs = pieces.reduce((ms, { forMs }) => ms + forMs, 0)
  const endMs = Math.max(...pieces.map(({ fromMs, forMs }) => fromMs + forMs))
  return html`<tr data-from="${first.startMs.toFixed(3)}" data-for="${(endMs - first.startMs).toFixed(3)}">
    <td class="span-name">
      <div class="depth-${Math.min(depth, maxDepth)}">
        <b>${repeats.length} ×</b> ${cutText(first.name, 200)}${spanDetail(first)}
      </div>
    </td>
    <td class="number muted span-start">${formatDuration(first.startMs)}</td>
    <td class="number span-duration">${formatDuration(sumMs)} <span class="muted small">total</span></td>
    <td class="span-bar">${laneBar(pieces, totalMs, `cat-${categoryOf(first)}`)}</td>
  </tr> `
}

function spanDetail(span: Span): SafeHtml | null {
  const text = detailOf(span)
  return text === '' ? null : html`<div class="muted small span-detail">${shortened(text, 160)}</div>`
}

function cutRow(missing: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="4">${countOf(missing, 'more row')} not shown.</td>
  </tr>`
}

function categoryOf({ category }: Span): string {
  return categories.has(category) ? category : 'app'
}

function depthsOf(spans: readonly Span[]): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  for (const span of spans) depths.set(span.id, span.parentId === null ? 0 : (depths.get(span.parentId) ?? 0) + 1)
  return depths
}

/** How many spans of the same parent each one overlaps. Spans come in the order they began. */
function overlapsOf(spans: readonly Span[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  const running = new Map<number | null, { readonly id: number; readonly endMs: number }[]>()
  for (const { id, parentId, startMs, durationMs } of spans) {
    const others = (running.get(parentId) ?? []).filter(({ endMs }) => endMs > startMs)
    for (const other of others) counts.set(other.id, (counts.get(other.id) ?? 0) + 1)
    if (others.length > 0) counts.set(id, others.length)
    others.push({ id, endMs: durationMs === null ? Number.POSITIVE_INFINITY : startMs + durationMs })
    running.set(parentId, others)
  }
  return counts
}

/** So many in a row become one row; fewer stay as they are. */
const leastRepeats = 4

/** What tells spans of one name apart: path and query of a call, the text of a statement; empty where there is nothing. */
function detailOf({ attributes }: Span): string {
  const url = attributes['url.full']
  const text = attributes['db.query.text'] ?? (typeof url === 'string' ? pathOf(url) : '')
  return typeof text === 'string' ? text : ''
}

/**
 * The spans in their order, those that repeat each other together: same parent, name and detail, all ended well, with nothing
 * inside and nothing at their side (`isApart`). A list of one for every other span.
 */
function gatherRepeats(
  spans: readonly Span[],
  isApart: (span: Span) => boolean,
): readonly (readonly [Span, ...Span[]])[] {
  const parents = new Set(spans.map(({ parentId }) => parentId))
  const isPlain = (span: Span): boolean =>
    span.durationMs !== null && span.status !== 'error' && !parents.has(span.id) && isApart(span)
  const rows: [Span, ...Span[]][] = []
  for (const span of spans) {
    const row = rows.at(-1)
    if (row !== undefined && isPlain(span) && isPlain(row[0]) && isAlike(row[0], span)) row.push(span)
    else rows.push([span])
  }
  return rows.flatMap((row) => (row.length < leastRepeats ? row.map((span): [Span] => [span]) : [row]))
}

function isAlike(one: Span, other: Span): boolean {
  return (
    one.parentId === other.parentId &&
    one.name === other.name &&
    one.category === other.category &&
    detailOf(one) === detailOf(other)
  )
}

function pathOf(url: string): string {
  return /^[a-z]+:\/\/[^/]*(\/.*)$/s.exec(url)?.[1] ?? ''
}
