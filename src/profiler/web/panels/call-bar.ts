// A thin bar that shows when a call ran, on the scale of its request, in up to three stretches: waiting to be sent, waiting
// for the answer, reading it.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'

/** When the steps of a call were reached: the start in milliseconds since the request began, the rest since the start. */
export interface CallTimes {
  readonly startMs: number
  readonly waitMs?: number | null
  readonly firstByteMs?: number | null
  /** `null` for a call that has not ended. */
  readonly durationMs: number | null
}

const scale = 1000
/** Narrowest bar that can be seen. */
const minWidth = 4

/** The bar; `totalMs` is the length of the request. Meant for eyes only: the same times stand beside it in words. */
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

export const callStyles: SafeHtml = styleSheet(`
.call-bar { display: block; width: 100%; height: .6rem }
.call-bar .lane { fill: var(--raised) }
.call-bar .wait { fill: light-dark(#a9b4c4, #56637a) }
.call-bar .answer { fill: light-dark(#8f45b0, #bd7edb) }
.call-bar .body { fill: light-dark(#c79adb, #7d5291) }
.outgoing-call { padding: var(--space-3) var(--space-4); margin-bottom: var(--space-3) }
.outgoing-call > * + * { margin-top: var(--space-2) }
.outgoing-head { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: baseline; font-size: 1em; font-weight: 500 }
.outgoing-head .url { flex: 1 1 12rem; min-width: 0; overflow-wrap: anywhere }
.outgoing-head .statement { flex: 1 1 12rem; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere }
.runs { list-style: none; margin-top: var(--space-2) }
.runs li { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); gap: 0 var(--space-4); align-items: center }
.runs .note { grid-column: 1 / -1 }
.runs li + li { margin-top: var(--space-1) }
.finding p + p { margin-top: var(--space-1) }
.finding a { color: inherit }
.outgoing-time { margin-left: auto; white-space: nowrap }
@media (max-width: 60rem) { .runs li { display: block } }
`)
