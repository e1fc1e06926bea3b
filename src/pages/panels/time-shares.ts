// How the time of a request divides, and which requests delayed which.

import { formatDuration } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { styleSheet } from '../../base/html/style-sheet.ts'
import { countOf } from '../../base/html/page-budget.ts'
import { placeLink } from '../../http/config/editor-link.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { LoopHindrance, LoopShares, TimeData } from '../../observe/collectors/time.ts'
import { tokenPattern } from '../../observe/profile.ts'
import { loadingCategory } from '../../base/timing/span.ts'
import type { PanelView } from '../panel.ts'

const scale = 1000
/** Waits below this, in milliseconds, are not worth a sentence. */
const worthTellingMs = 1

/** From the first to the last moment, in milliseconds: the duration, and what the profiler did meanwhile. */
export function wallMs({ durationMs, profilerMs }: ShownTime): number {
  return durationMs + (profilerMs ?? 0)
}

interface Share {
  readonly name: string
  readonly className: string
  readonly ms: number
  /** Whether it is that much at most. */
  readonly isBound: boolean
}

export function timeShares(data: ShownTime): SafeHtml {
  const shares = sharesOf(data)
  const { durationMs, profilerMs = null } = data
  return html`<div class="row shares">
      <b>${formatDuration(durationMs)}</b>
      ${shares.map(({ ms, name, isBound, className }) => html`<span>${key(className)}${name} ${isBound ? '≤ ' : ''}${formatDuration(ms)}</span> `)}
      ${profilerMs !== null && profilerMs >= worthTellingMs ? html`<span>profiler ${formatDuration(profilerMs)}, not in the total</span>` : null}
    </div>
    ${shares.length === 0 ? null : shareBar(shares, durationMs)}`
}

/** Waits that could run side by side, with both places. */
export function sideBySide({ sequentialWaits = [] }: ShownTime, { editor }: PanelView): SafeHtml | null {
  if (sequentialWaits.length === 0) return null
  const saved = sequentialWaits.reduce((sum, { savedMs }) => sum + savedMs, 0)
  return html`<section class="note tone-info hindrance">
    <p>
      <b>Up to ${formatDuration(saved)} less with <code>Promise.all()</code>:</b> these waits do not use each other’s
      results. A single database connection would still run its queries one after another.
    </p>
    <ul>
      ${sequentialWaits.map(
        ({ first, second, count, savedMs }) =>
          html`<li>
            ${placeLink(first, editor)} then ${placeLink(second, editor)}
            <span class="muted">up to ${formatDuration(savedMs)}${count > 1 ? html`, ${count} times` : null}</span>
          </li> `,
      )}
    </ul>
  </section>`
}

export function hindrances(data: ShownTime, { linkTo }: PanelView): SafeHtml {
  const { blocked = [], blockedBy = [], heldBackMs = null } = data
  const before = blockedBy.filter(({ fromMs, durationMs }) => fromMs + durationMs <= 0)
  const during = blockedBy.filter((hindrance) => !before.includes(hindrance))
  const total = (list: readonly LoopHindrance[]): string =>
    formatDuration(list.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const isDelayed = heldBackMs !== null && heldBackMs >= worthTellingMs
  return html`${loaded(data)}
  ${hindranceNote(
    during,
    html`<b>Blocked for ${total(during)}:</b> this request was ready, but the event loop was running other code.`,
    hindranceList(during, linkTo, 'of this request’s time'),
  )}
  ${hindranceNote(
    isDelayed ? before : [],
    html`<b>Delayed up to ${formatDuration(heldBackMs ?? 0)} before start:</b> the event loop was running other code
      when this request arrived.`,
    hindranceList(before, linkTo, 'before it began'),
  )}
  ${hindranceNote(
    blocked,
    html`<b>Held up ${countOf(groupsOf(blocked).length, 'other request')}, ${total(blocked)} total:</b> they waited
      while this request was on the CPU.`,
    hindranceList(blocked, linkTo, 'waited'),
  )}
  ${(data.droppedHindrances ?? 0) > 0 ? html`<p class="muted small">${data.droppedHindrances} more were not recorded.</p>` : null}`
}

function hindranceNote(
  hindrances: readonly LoopHindrance[],
  sentence: SafeHtml,
  list: SafeHtml | null,
): SafeHtml | null {
  if (hindrances.length === 0) return null
  return html`<section class="note tone-warning hindrance">
    <p>${sentence}</p>
    ${list}
  </section>`
}

function loaded(data: ShownTime): SafeHtml | null {
  const load = data.spans.find(({ category }) => category === loadingCategory)
  if (load === undefined) return null
  return html`<section class="note tone-info hindrance">
    <p>
      <b>Waited ${formatDuration(load.durationMs ?? 0)} for the first error page:</b> Fanlight loaded the code that
      renders error pages. Later error pages take a fraction of this.
    </p>
  </section>`
}

export const sharesExplained: SafeHtml = html`<details class="fold small">
  <summary>How this is measured</summary>
  <p class="muted">
    <b>Own code</b> is measured: the time in which code of this request ran, including GC pauses and time the system
    gave to other processes. <b>Waiting for the event loop</b> is an upper bound: other code ran, and this request may
    have been ready all that time. <b>Waiting for I/O</b> is the rest: network, files, timers, the client. Other
    requests are named for stretches of at least 5 ms, and only if both certainly overlapped. Error pages and other work
    of Fanlight do not count. Drag over the bars to zoom, click one to look at its span; the keys + − ← → 0 do the same.
  </p>
</details>`

function sharesOf(data: ShownTime): readonly Share[] {
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

function hindranceList(list: readonly LoopHindrance[], linkTo: PanelView['linkTo'], what: string): SafeHtml | null {
  const groups = groupsOf(list)
  // Of nothing but untracked work the sentence says all.
  if (groups.every(({ hindrance }) => hindrance.token === null)) return null
  return html`<ul>
    ${groups.map(({ hindrance, count, totalMs }) => html`<li>${hindranceName(hindrance, linkTo)}: ${formatDuration(totalMs)} ${what}${count === 1 ? null : `, in ${count} stretches`}</li> `)}
  </ul>`
}

interface HindranceGroup {
  readonly hindrance: LoopHindrance
  count: number
  totalMs: number
}

/** One for each other request, in the order they came. */
function groupsOf(list: readonly LoopHindrance[]): readonly HindranceGroup[] {
  const groups = new Map<string | null, HindranceGroup>()
  for (const hindrance of list) {
    const group = groups.get(hindrance.token)
    if (group === undefined) groups.set(hindrance.token, { hindrance, count: 1, totalMs: hindrance.durationMs })
    else {
      group.count += 1
      group.totalMs += hindrance.durationMs
    }
  }
  return [...groups.values()]
}

/** The other request with a link to its profile, or what else it was. */
function hindranceName({ token, method, path }: LoopHindrance, linkTo: PanelView['linkTo']): SafeHtml {
  if (token === null) return html`untracked work`
  const name = html`<code>${cutText(`${method ?? ''} ${path ?? ''}`, 200)}</code>`
  return tokenPattern.test(token) ? html`${name} (<a class="mono" href="${linkTo(token, 'time')}">${token}</a>)` : name
}

export const shareStyles: SafeHtml = styleSheet(`
.shares { margin-bottom: var(--space-2); font-size: var(--size-small); align-items: baseline }
.shares > b { font-size: var(--size-title) }
.shares svg { display: inline-block; width: .7rem; height: .7rem; margin-right: .35rem; vertical-align: -.05rem }
.shares rect, .share-bar rect { fill: var(--bar) }
.share-bar { display: block; width: 100%; height: .8rem; margin-bottom: var(--space-3); border-radius: 3px }
.share-bar .lane { fill: var(--raised) }
.fold.small + .hindrance, .hindrance + .hindrance { margin-top: var(--space-3) }
.hindrance ul { list-style: none; margin-top: var(--space-1) }
.hindrance li { overflow-wrap: anywhere }
`)

/** Profiles of an earlier version, and files from elsewhere, may lack what is known of the loop. */
export type ShownTime = Omit<TimeData, keyof LoopShares> & Partial<LoopShares>
