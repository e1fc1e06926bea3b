// The performance panel: shares of time, hold-ups, timeline.

import { formatDuration, emptyState } from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { worthTellingMs, delayBlocks } from '../../profiles/delays.ts'
import type { TimeData } from '../../observe/collectors/time.ts'
import { keptMark } from '../notes.ts'
import { countOf, PageBudget } from '../../base/html/page-budget.ts'
import type { Panel, PanelView } from '../panel.ts'
import { drawBlocks } from '../draw-blocks.ts'
import { coveredMs } from '../../observe/collectors/events.ts'
import { levelTone } from '../../errors/page/log.ts'
import { fillPlaceholders, isProblem, logLevels } from '../../base/log/logger.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { Span } from '../../base/timing/stopwatch.ts'
import { type Profile, tokenPattern } from '../../observe/profile.ts'
import { pathOf, shortened } from '../../profiles/profile-facts.ts'
import { readPart } from '../../profiles/stored-data.ts'
import { kindChips, kinds, timelineLook, type Grid, type LanePiece, axis, laneBar } from './timeline-bars.ts'
import { gathered } from '../../profiles/trace-span.ts'

const scale = 1000

/** From the first to the last moment, in milliseconds: the duration, and what the profiler did meanwhile. */
function wallMs({ durationMs, profilerMs }: TimeData): number {
  return durationMs + (profilerMs ?? 0)
}

interface Share {
  readonly name: string
  readonly className: string
  readonly ms: number
  /** Whether it is that much at most. */
  readonly isBound: boolean
}

function timeShares(data: TimeData): SafeHtml {
  const shares = sharesOf(data)
  const { durationMs, profilerMs = null } = data
  return html`<div class="row shares">
      <b>${formatDuration(durationMs)}</b>
      ${shares.filter(isShown).map(({ ms, name, isBound, className }) => html`<span>${key(className)}${name} ${isBound ? '≤ ' : ''}${formatDuration(ms)}</span> `)}
      ${profilerMs !== null && profilerMs >= worthTellingMs ? html`<span>profiler ${formatDuration(profilerMs)}, not in the total</span>` : null}
    </div>
    ${shares.length === 0 ? null : shareBar(shares, durationMs)}`
}

/** Not "0.00 ms". */
const isShown = ({ ms }: Share): boolean => ms >= 0.005

const sharesExplained: SafeHtml = html`<details class="fold small">
  <summary>How this is measured</summary>
  <p class="muted">
    <b>Own code</b> is measured: the time in which code of this request ran, including GC pauses and time the system
    gave to other processes. <b>Waiting for the event loop</b> is an upper bound: other code ran, and this request may
    have been ready all that time. <b>Waiting for I/O</b> is the rest: network, files, timers, the client. Other
    requests are named for stretches of at least 5 ms, and only if both certainly overlapped. Error pages and other work
    of Fanlight do not count. Drag over the bars to zoom, click one to look at its span; the keys + − ← → 0 do the same.
  </p>
</details>`

function sharesOf(data: TimeData): readonly Share[] {
  const { ownCpuMs, loopWaitMs, ioWaitMs } = data
  // Profiles of an earlier version have no shares.
  if (typeof ownCpuMs !== 'number' || typeof loopWaitMs !== 'number' || typeof ioWaitMs !== 'number') return []
  return [
    { name: 'own code', className: 'share-own', ms: ownCpuMs, isBound: false },
    { name: 'waiting for the event loop', className: 'share-loop', ms: loopWaitMs, isBound: true },
    { name: 'waiting for I/O', className: 'share-io', ms: ioWaitMs, isBound: false },
  ]
}

function key(className: string): SafeHtml {
  return html`<svg viewBox="0 0 10 10" class="${className}" aria-hidden="true"><rect width="10" height="10" /></svg>`
}

function shareBar(shares: readonly Share[], totalMs: number): SafeHtml {
  let x = 0
  const piece = ({ ms, className }: Share): SafeHtml => {
    const width = totalMs > 0 ? Math.min((ms / totalMs) * scale, scale - x) : 0
    const drawn = html`<rect class="${className}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="14" />`
    x += width
    return drawn
  }
  return html`<svg class="share-bar" viewBox="0 0 ${scale} 14" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="${scale}" height="14" />
    ${shares.map(piece)}
  </svg>`
}

export const shareStyles: SafeHtml = styleSheet(`
.shares { margin-bottom: var(--space-2); font-size: var(--size-small); align-items: baseline }
.shares > b { font-size: var(--size-title) }
.shares svg { display: inline-block; width: .7rem; height: .7rem; margin-right: .35rem; vertical-align: -.05rem }
.shares rect, .share-bar rect { fill: var(--bar) }
.share-bar { display: block; width: 100%; height: .8rem; margin-bottom: var(--space-3); border-radius: 3px }
.share-bar .lane { fill: var(--raised) }
.note + ul:not([class]) { margin: var(--space-1) 0 var(--space-3) var(--space-4); font-size: var(--size-small) }
`)

export const timePanel: Panel<TimeData> = {
  name: 'time',
  title: 'Performance',
  parameters: ['kind'],
  badge: (data) => {
    const others = new Set([...(data.blockedBy ?? []), ...(data.blocked ?? [])].map(({ token }) => token)).size
    return others === 0
      ? undefined
      : { count: others, tone: 'warning', hint: `blocked loop: ${countOf(others, 'other request')}` }
  },
  render: (data, view) => {
    if (data === undefined) return emptyState('No timing was recorded.')
    const { spans, droppedSpans, ownCpuMs = null } = data
    return html`${timeShares(data)} ${mostTime(data)} ${ownCpuMs === null ? notShared(view) : sharesExplained}
      ${drawBlocks(delayBlocks(data), 'delay', view)}
      <h3>Timeline</h3>
      ${keptMark(spans.length, droppedSpans, 'spans')}
      ${spans.length === 0 ? emptyState('No spans were recorded.') : timeline(data, view)}`
  },
}

/** Of these it is mostly this library that works: error pages are made by sub-requests. */
const ownKinds: ReadonlySet<string> = new Set(['kernel', 'loading', 'sub-request'])

/** The step that ran longest, without the steps inside it; those that repeat each other together. */
function mostTime({ spans, durationMs }: TimeData): SafeHtml | null {
  const inside = Map.groupBy(spans, ({ parentId }) => parentId)
  const steps = [...Map.groupBy(spans, (span) => `${span.name} ${detailOf(span)}`).values()].map((same) => {
    const within = same.flatMap(({ id }) => inside.get(id) ?? []).toSorted((one, other) => one.startMs - other.startMs)
    return { span: same[0], same, within, ms: coveredMs(same) - coveredMs(within) }
  })
  const counted = steps.filter(({ span, ms }) => !ownKinds.has(span?.category ?? '') && ms <= durationMs)
  const [most] = counted.toSorted((one, other) => other.ms - one.ms)
  const { span, same = [], within = [], ms = 0 } = most ?? {}
  if (span === undefined || ms < durationMs / 10) return null
  return html`<p>
    Most time:
    ${same.length === 1 ? null : `${same.length} × `}<b>${cutText(span.name, 200)}</b>${spanDetail(span)}${within.length === 0 ? null : ' without the steps inside it'},
    ${formatDuration(ms)} of ${formatDuration(durationMs)}
  </p>`
}

function notShared({ profile, linkTo }: PanelView): SafeHtml {
  const { parentToken } = profile
  return parentToken === null
    ? html`<p class="muted small">The shares of this time were not measured.</p>`
    : html`<p class="muted small">
        This is a sub-request; its CPU time counts toward <a href="${linkTo(parentToken, 'time')}">its parent</a>.
      </p>`
}

const timelineBytes = 600_000
const maxDepth = 4

function timeline(data: TimeData, view: PanelView): SafeHtml {
  const { spans } = data
  const durationMs = wallMs(data)
  const { profile, values } = view
  const budget = new PageBudget(timelineBytes)
  const overlaps = overlapsOf(spans)
  const grid: Grid = { id: `grid-${profile.token}`, totalMs: durationMs }
  const row = rowOf(data, overlaps, view, grid)
  const rows = gatherRepeats(spans, ({ id, category }) => !overlaps.has(id) && category !== 'sub-request')
  const { marks, others } = marksOf(profile, view.linkTo)
  const story = inOrder(rows, marks)
  const draw = (item: StoryRow): SafeHtml => budget.spend('atMs' in item ? markRow(item, grid) : row(item))
  return html`<div class="story" id="timeline">
    ${kindChips(chipsOf(spans, marks.length), values?.get('kind') ?? '')} ${timelineLook}
    <table
      class="table timeline"
      data-timeline="${durationMs.toFixed(3)}"
      aria-label="Spans and log lines in the order they began"
    >
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" class="number">Start</th>
          <th scope="col">
            <span class="visually-hidden" data-scale>0 – ${formatDuration(durationMs)}</span>${axis(grid)}
          </th>
        </tr>
      </thead>
      <tbody class="lanes">
        ${lanesOf(data, others, view, grid)}
      </tbody>
      <tbody>
        ${budget.list(story, draw, { rest: cutRow })}
      </tbody>
    </table>
  </div>`
}

type StoryRow = readonly [Span, ...Span[]] | Mark

/** Each mark before the first span that began later. */
function inOrder(rows: readonly (readonly [Span, ...Span[]])[], marks: readonly Mark[]): readonly StoryRow[] {
  const story: StoryRow[] = []
  let next = 0
  for (const row of rows) {
    for (let mark = marks[next]; mark !== undefined && mark.atMs < row[0].startMs; mark = marks[++next])
      story.push(mark)
    story.push(row)
  }
  return [...story, ...marks.slice(next)]
}

function chipsOf(spans: readonly Span[], marks: number): readonly { kind: string; label: string; count: number }[] {
  const counts = new Map([...Map.groupBy(spans, categoryOf)].map(([kind, same]) => [kind, same.length]))
  if (marks > 0) counts.set('log', marks)
  return Object.entries(kinds).flatMap(([kind, label]) => {
    const count = counts.get(kind) ?? 0
    return count === 0 ? [] : [{ kind, label, count }]
  })
}

function lanesOf(data: TimeData, lines: readonly number[], { linkTo }: PanelView, grid: Grid): readonly SafeHtml[] {
  const { stretches = [], garbagePauses = [] } = data
  const own: LanePiece[] = []
  for (let index = 0; index < stretches.length; index += 2) {
    own.push({ fromMs: stretches[index] ?? 0, forMs: (stretches[index + 1] ?? 0) - (stretches[index] ?? 0) })
  }
  const others = (data.blockedBy ?? [])
    .filter(({ fromMs, durationMs: ms }) => fromMs + ms > 0)
    .map(({ token, method, path, fromMs, durationMs: ms }): LanePiece => {
      const name = token === null ? 'untracked work' : `${method ?? ''} ${path ?? ''}`
      const title = `${cutText(name, 200)}, ${formatDuration(ms)}`
      return {
        fromMs,
        forMs: ms,
        title,
        href: token !== null && tokenPattern.test(token) ? linkTo(token, 'time') : null,
      }
    })
  const garbage = garbagePauses.map(({ startMs, durationMs: ms }) => ({ fromMs: startMs, forMs: ms }))
  const moments = lines.map((fromMs): LanePiece => ({ fromMs, forMs: 0 }))
  return [
    { name: 'Own code', look: 'share-own', pieces: own, took: tookOf(own) },
    { name: 'Other code', look: 'share-loop', pieces: others, took: tookOf(others) },
    { name: 'GC pauses', look: 'cat-garbage', pieces: garbage, took: tookOf(garbage) },
    { name: 'Other log lines', look: 'cat-log', pieces: moments, took: countOf(lines.length, 'line') },
  ].flatMap((lane) => (lane.pieces.length === 0 ? [] : [barRow(lane, grid)]))
}

/** `look`: class of its bar. Only rows with a `kind` are hidden and zoomed. */
interface BarRow {
  readonly name: SafeHtml | string
  readonly pieces: readonly LanePiece[]
  readonly look: string
  readonly took: string
  readonly kind?: string
  readonly tone?: string
}

function barRow({ name, pieces, look, took, kind, tone }: BarRow, grid: Grid): SafeHtml {
  const fromMs = pieces[0]?.fromMs ?? 0
  const forMs = Math.max(...pieces.map((piece) => piece.fromMs + piece.forMs)) - fromMs
  const [from, length] = kind === undefined ? [] : [fromMs.toFixed(3), forMs.toFixed(3)]
  return html`<tr class="${tone}" data-kind="${kind}" data-from="${from}" data-for="${length}">
    <td class="span-name">${name}</td>
    <td class="number muted span-start">${formatDuration(Math.max(0, fromMs))}</td>
    <td class="span-bar">${laneBar(pieces, grid, look, took)}</td>
  </tr> `
}

function markRow({ atMs, tone, label }: Mark, grid: Grid): SafeHtml {
  const pieces = [{ fromMs: atMs, forMs: 0 }]
  return barRow({ name: label, pieces, look: 'mark', took: '', kind: 'log', tone: `tone-${tone}` }, grid)
}

/** One row for a span, and for spans that repeat each other: how many, how long together, and a bar for each. */
function rowOf(
  { spans, subRequests }: TimeData,
  overlaps: ReadonlyMap<number, number>,
  { linkTo }: PanelView,
  grid: Grid,
): (repeats: readonly [Span, ...Span[]]) => SafeHtml {
  const depths = depthsOf(spans)
  const left = [...subRequests]
  return (repeats) => {
    const [span] = repeats
    const isOne = repeats.length === 1
    const place = span.category === 'sub-request' ? left.findIndex(({ handler }) => handler === span.name) : -1
    const [sub] = place < 0 ? [] : left.splice(place, 1)
    const text = cutText(span.name, 200)
    const parallel = overlaps.get(span.id) ?? 0
    const name = html`<div class="depth-${Math.min(depths.get(span.id) ?? 0, maxDepth)}">
      ${isOne ? null : html`<b>${repeats.length} ×</b> `}${sub === undefined ? text : html`<a href="${linkTo(sub.token, 'time')}">${text}</a>`}${span.status === 'error' ? html` <span class="badge tone-error">error</span>` : null}${spanDetail(span)}${parallel === 0 ? null : html` <span class="visually-hidden">parallel with ${parallel}</span>`}
    </div>`
    const pieces = repeats.map(({ startMs: fromMs, durationMs }): LanePiece => ({
      fromMs,
      forMs: durationMs ?? Math.max(0, grid.totalMs - fromMs),
    }))
    const took = span.durationMs === null ? 'not ended' : `${tookOf(pieces)}${isOne ? '' : ' total'}`
    const kind = categoryOf(span)
    return barRow({ name, pieces, look: `cat-${kind}`, took, kind }, grid)
  }
}

function tookOf(pieces: readonly LanePiece[]): string {
  return formatDuration(pieces.reduce((ms, { forMs }) => ms + forMs, 0))
}

function spanDetail(span: Span): SafeHtml | null {
  const text = detailOf(span)
  return text === '' ? null : html` <span class="muted small span-detail">${shortened(text, 160)}</span>`
}

function cutRow(missing: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="3">${countOf(missing, 'more row')} not shown.</td>
  </tr>`
}

function categoryOf({ category }: Span): string {
  return Object.hasOwn(kinds, category) ? category : 'app'
}

interface Mark {
  readonly atMs: number
  readonly tone: string
  readonly label: SafeHtml
}

const maxMarks = 100

/** In order of time. */
function marksOf(
  profile: Profile,
  linkTo: PanelView['linkTo'],
): { readonly marks: readonly Mark[]; readonly others: readonly number[] } {
  const part = readPart(profile, 'logger')
  const records = part.state === 'there' ? part.data.records : []
  const marks: Mark[] = []
  const others: number[] = []
  for (const record of records) {
    const level = logLevels.find((one) => one === record.level) ?? 'info'
    if (!isProblem(level) || marks.length === maxMarks) {
      others.push(record.timeMs)
      continue
    }
    const isThrown = profile.errorClass !== null && record.context['error_class'] === profile.errorClass
    const link = linkTo(profile.token, isThrown ? 'exception' : 'logger')
    const message = cutText(fillPlaceholders(record), 200)
    const label = html`<b class="log-level">${level}</b> <a href="${link}">${message}</a>`
    marks.push({ atMs: record.timeMs, tone: levelTone(level), label })
  }
  return { marks, others }
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

/** What tells spans of one name apart: path and query of a call, the text of a statement; empty if there is nothing. */
function detailOf({ attributes }: Span): string {
  const url = attributes['url.full']
  const text = attributes['db.query.text'] ?? (typeof url === 'string' ? pathOf(url) : '')
  return typeof text === 'string' ? text : ''
}

/**
 * The spans in their order, four or more that repeat each other together: same parent, name and detail, all ended well, with nothing
 * inside and nothing at their side (`isApart`). A list of one for every other span.
 */
function gatherRepeats(
  spans: readonly Span[],
  isApart: (span: Span) => boolean,
): readonly (readonly [Span, ...Span[]])[] {
  const parents = new Set(spans.map(({ parentId }) => parentId))
  const isPlain = (span: Span): boolean =>
    span.durationMs !== null && span.status !== 'error' && !parents.has(span.id) && isApart(span)
  return gathered(spans, 4, isPlain, isAlike)
}

function isAlike(one: Span, other: Span): boolean {
  return (
    one.parentId === other.parentId &&
    one.name === other.name &&
    one.category === other.category &&
    detailOf(one) === detailOf(other)
  )
}
