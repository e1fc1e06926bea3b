// A small timeline of a failed request: a row for each query, outgoing request or span.

import { badge, formatDuration } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import type { WorkRepeat } from '../../framework/recording/recording.ts'
import { workSummary, type RequestWork, type Work } from '../request-work.ts'
import { placeLink, type EditorLink } from './editor-link.ts'
import { countOf, cutMark, PageBudget } from './page-budget.ts'

const workBytes = 30_000
/** Width of the timeline, and of the narrowest visible bar. */
const scale = 1000
const minWidth = 6

/** Default: places are not links to an editor. */
export function workTimeline(work: RequestWork, editor?: EditorLink): SafeHtml {
  const budget = new PageBudget(workBytes)
  const rows = budget.list(work.work, (piece) => budget.spend(workRow(piece, work.durationMs, editor)), {
    rest: (missing) => html`<li>${cutMark(`${countOf(missing, 'more row')} not shown: the page is full.`)}</li>`,
  })
  return html`<p class="muted small">${workSummary(work)}; failed after ${formatDuration(work.durationMs)}.</p>
    ${work.repeats.map((repeat) => budget.spend(repeatNote(repeat, editor)))}
    <ol class="card work">
      ${rows}
    </ol>`
}

function repeatNote({ kind, count, callSite, text }: WorkRepeat, editor: EditorLink | undefined): SafeHtml {
  const what = kind === 'n+1' ? `${count} queries alike` : `${count} times the same query`
  return html`<p class="work-repeat">
    ${badge(kind === 'n+1' ? 'N+1' : 'duplicate', 'warning')}
    ${what}${callSite === null ? null : html` from ${placeLink(callSite, editor)}`}: <code>${cutText(text, 300)}</code>
  </p> `
}

function workRow(piece: Work, totalMs: number, editor: EditorLink | undefined): SafeHtml {
  const { name, detail, startMs, durationMs, isFailed, result, callSite } = piece
  const took = durationMs === null ? 'not ended' : formatDuration(durationMs)
  return html`<li>
    <span class="work-name"
      ><b>${cutText(name, 200)}</b>${isFailed ? html` ${badge('failed', 'error')}` : null}${
        detail === null ? null : html` <code>${cutText(detail, 300)}</code>`
      }</span
    >
    <span class="work-time muted small">+${formatDuration(startMs)} · ${took}</span>
    ${
      result === null && callSite === null
        ? null
        : html`<span class="work-result small"
            >${result === null ? null : cutText(result, 300)}${result === null || callSite === null ? null : ' · '}${
              callSite === null ? null : placeLink(callSite, editor)
            }</span
          >`
    }
    ${workBar(piece, totalMs)}
  </li> `
}

// Hidden from screen readers: the same times are beside it in words.
function workBar({ startMs, durationMs, category, isFailed }: Work, totalMs: number): SafeHtml {
  const place = (ms: number): number => (totalMs > 0 ? Math.min(Math.max((ms / totalMs) * scale, 0), scale) : 0)
  const left = Math.min(place(startMs), scale - minWidth)
  const width = Math.max(minWidth, place(startMs + (durationMs ?? totalMs)) - left)
  const kind = isFailed ? 'failed' : (kinds.get(category) ?? 'own')
  return html`<svg class="work-bar" viewBox="0 0 ${scale} 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="${scale}" height="6" />
    <rect class="work-${kind}" x="${left.toFixed(0)}" width="${width.toFixed(0)}" height="6" />
  </svg>`
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['store', 'store'],
  ['http', 'http'],
])

/** Comes after `themeStyles`. */
export const workStyles: SafeHtml = styleSheet(`
.work { margin-top: var(--space-2) }
.work > li { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: .15rem var(--space-4); padding: var(--space-2) var(--space-4) }
.work > li + li { border-top: 1px solid var(--line) }
.work-name { overflow-wrap: anywhere }
.work-repeat { margin-top: var(--space-2); overflow-wrap: anywhere }
.work-result { grid-column: 1 / -1; overflow-wrap: anywhere }
.work-name code { color: var(--muted); font-size: .8125rem }
.work-bar { grid-column: 1 / -1; display: block; width: 100%; height: .3rem }
.work-bar .lane { fill: var(--raised) }
.work-own { fill: light-dark(#6b7a90, #8593a8) } .work-store { fill: light-dark(#a4760a, #d9a62e) }
.work-http { fill: light-dark(#8f45b0, #bd7edb) } .work-failed { fill: light-dark(#c2332b, #f0736a) }
@media (max-width: 40rem) { .work > li { grid-template-columns: minmax(0, 1fr); padding: var(--space-2) var(--space-3) } }
`)
