// How the time of a request divides.

import { formatDuration } from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { worthTellingMs } from '../../profiles/delays.ts'
import type { TimeData } from '../../observe/collectors/time.ts'

const scale = 1000

/** From the first to the last moment, in milliseconds: the duration, and what the profiler did meanwhile. */
export function wallMs({ durationMs, profilerMs }: TimeData): number {
  return durationMs + (profilerMs ?? 0)
}

interface Share {
  readonly name: string
  readonly className: string
  readonly ms: number
  /** Whether it is that much at most. */
  readonly isBound: boolean
}

export function timeShares(data: TimeData): SafeHtml {
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
