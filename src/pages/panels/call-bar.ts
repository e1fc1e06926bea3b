// A thin bar that shows when a call ran, on the scale of its request, in up to three stretches: waiting to be sent, waiting
// for the response, reading it.

import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import type { CallTimes } from '../../observe/blocks/blocks.ts'

const scale = 1000
/** Narrowest bar that can be seen. */
const minWidth = 4

/** The bar; `totalMs` is the length of the request. Hidden from screen readers: the same times are beside it as text. */
export function callBar({ startMs, waitMs, firstByteMs, durationMs }: CallTimes, totalMs: number): SafeHtml {
  const length = Math.max(durationMs ?? totalMs - startMs, 0)
  const place = (ms: number): number => (totalMs > 0 ? Math.min(Math.max((ms / totalMs) * scale, 0), scale) : 0)
  const left = Math.min(place(startMs), scale - minWidth)
  const sent = Math.min(waitMs ?? 0, length)
  const answered = Math.min(Math.max(firstByteMs ?? length, sent), length)
  const piece = (from: number, to: number, name: string): SafeHtml | null => {
    const x = Math.max(left, place(startMs + from))
    const width = place(startMs + to) - x
    return width <= 0
      ? null
      : html`<rect class="${name}" x="${x.toFixed(1)}" y="2" width="${width.toFixed(1)}" height="6" />`
  }
  return html`<svg class="call-bar" viewBox="0 0 ${scale} 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="${scale}" height="10" />
    <rect class="answer" x="${left.toFixed(1)}" y="2" width="${minWidth}" height="6" />
    ${piece(0, sent, 'wait')} ${piece(sent, answered, 'answer')} ${piece(answered, length, 'body')}
  </svg>`
}

/** Shares of the longest of a page, the smaller ones in it. */
export function bar([whole = 0, ...parts]: readonly number[]): SafeHtml {
  const width = (share: number): string => Math.max(1, share * 100).toFixed(1)
  const rects = parts.map((share) => html`<rect width="${width(share)}" height="4" />`)
  return html`<svg class="duration-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect class="whole" width="${width(whole)}" height="4" />
    ${rects}
  </svg>`
}

/** When things came: a bar for each part of the time, the newest on the right, against the fullest part. */
export function strip(counts: readonly number[]): SafeHtml | null {
  const most = Math.max(...counts)
  if (!(most > 0)) return null
  const bars = counts.flatMap((count, index) =>
    count === 0 ? [] : [`M${index} 10v-${Math.max(1, Math.round((count / most) * 10))}`],
  )
  return html`<svg class="strip" viewBox="-.5 0 ${counts.length} 10" preserveAspectRatio="none" aria-hidden="true">
    <path d="${bars.join('')}" />
  </svg>`
}

/** All runs of a query in one bar. Meant for eyes only. */
export function runsBar(runs: readonly CallTimes[], totalMs: number): SafeHtml {
  const place = (ms: number): number => (totalMs > 0 ? Math.min(Math.max((ms / totalMs) * scale, 0), scale) : 0)
  const path = runs.map(({ startMs, durationMs }) => {
    const left = Math.min(place(startMs), scale - runWidth)
    const width = Math.max(runWidth, place(startMs + (durationMs ?? 0)) - left)
    return `M${left.toFixed(1)} 2h${width.toFixed(1)}v6h-${width.toFixed(1)}z`
  })
  return html`<svg class="call-bar" viewBox="0 0 ${scale} 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="${scale}" height="10" />
    <path class="answer" d="${path.join('')}" />
  </svg>`
}

/** Narrowest run among others. */
const runWidth = 1.5

export const callStyles: SafeHtml = styleSheet(`
.call-bar { display: block; width: 100%; height: .6rem }
.call-bar .lane { fill: var(--raised) }
.call-bar .wait { fill: light-dark(#a9b4c4, #56637a) }
.call-bar .answer { fill: light-dark(#8f45b0, #bd7edb) }
.call-bar .body { fill: light-dark(#c79adb, #7d5291) }
.outgoing-call { padding: var(--space-3) var(--space-4); margin-bottom: var(--space-3) }
.outgoing-call > * + * { margin-top: var(--space-2) }
.outgoing-call > details:not([open]) { display: inline-block; margin-right: var(--space-4) }
.outgoing-head { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: baseline; font-size: 1em; font-weight: 500 }
.outgoing-head .url { flex: 1 1 12rem; min-width: 0; overflow-wrap: anywhere }
.query .outgoing-head { align-items: center }
.query .outgoing-time { margin: 0; font-weight: 600 }
.query .button { margin-left: auto }
.statement { font-size: .8125rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere }
.statement i { font-style: normal }
.statement .t-kwd { font-weight: 600 }
.runs { margin-top: var(--space-1); font-size: var(--size-small); font-variant-numeric: tabular-nums }
.runs.narrow { columns: 17rem; column-gap: var(--space-6) }
.runs li { break-inside: avoid }
.query-order { justify-content: space-between; margin: var(--space-6) 0 var(--space-2) }
.query-order h3 { margin: 0 }
.finding p + p { margin-top: var(--space-1) }
.finding a { color: inherit }
.outgoing-time { margin-left: auto; white-space: nowrap }
`)
