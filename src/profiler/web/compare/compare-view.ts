// Draws a comparison: both sides, a table per section, equal parts folded.

import { badge, fold, formatDuration, formatTime, note, section } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import { fewProfiles, type Comparison, type ComparedSide, type TextDifference } from '../../compare/compare.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { profileTone, requestLine, statusMark } from '../../query/profile-facts.ts'
import { compareBlocks, sideText, type Compared } from '../../query/compare-markdown.ts'
import { drawBlocks, wideStyles, type BlockView } from '../draw-blocks.ts'

export interface ComparePlace extends BlockView {
  readonly profilerPath: string
}

const maxNameLength = 300

export function compareView(compared: Compared, place: ComparePlace): SafeHtml {
  const { a, b, comparison } = compared
  const { differenceCount, sections } = comparison
  const version = versionsOf(sections)
  return html`<div class="compare-sides">
      ${sideCard('A', a, version?.a ?? null, place)} ${sideCard('B', b, version?.b ?? null, place)}
    </div>
    ${
      b.kind === 'median' && b.count < fewProfiles
        ? note(`A median of ${countOf(b.count, 'profile')} says little. Request the page a few more times.`)
        : null
    }
    <p class="row spread compare-state">
      <span><b>${countOf(differenceCount, 'change')}</b> <span class="muted">· from B to A</span></span>
      ${a.kind === 'profile' && b.kind === 'profile' ? html`<a class="button screen-only" href="${place.profilerPath}/compare?a=${b.summary.token}&b=${a.summary.token}">Swap</a>` : null}
    </p>
    ${drawBlocks(compareBlocks(compared), 'difference', place)} ${samePart(sections)}`
}

/** The versions of the application, where the sides are of different ones. */
function versionsOf(sections: Comparison['sections']): TextDifference | undefined {
  const configuration = sections.find(({ name }) => name === 'configuration')
  return configuration?.kind === 'texts' ? configuration.differences.find(({ name }) => name === 'version') : undefined
}

function sideCard(letter: string, side: ComparedSide, version: string | null, { linkTo }: ComparePlace): SafeHtml {
  if (side.kind !== 'profile') {
    return html`<div class="card compare-side">
      <h2>${letter}</h2>
      <p class="compare-median">${sideText(side)}</p>
    </div>`
  }
  const { token, durationMs, time } = side.summary
  return html`<div class="card compare-side">
    <h2>${letter}</h2>
    <p class="mono"><a href="${linkTo(token)}">${cutText(requestLine(side.summary), maxNameLength)}</a></p>
    <p class="row compare-outcome">
      ${badge(statusMark(side.summary), profileTone(side.summary))} <b>${formatDuration(durationMs)}</b>
      ${version === null ? null : html`<span>Version <b class="mono">${cutText(version, 64)}</b></span>`}
    </p>
    <p class="muted small">${formatTime(time)} UTC, <span class="mono">${token}</span></p>
  </div>`
}

/** What is equal, by section. */
function samePart(sections: Comparison['sections']): SafeHtml | null {
  const filled = sections.filter(({ equal }) => equal.length > 0)
  if (filled.length === 0) return null
  const parts = filled.map(({ title, equal }) =>
    fold(
      html`${title} <span class="muted">${equal.length} equal</span>`,
      html`<p class="small muted">${cutText(equal.join(', '), 5000)}</p>`,
    ),
  )
  return section('compare-same', 'Identical', parts)
}

export const compareStyles: SafeHtml = html`${wideStyles}${styleSheet(`
.compare-sides { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-3); margin-top: var(--space-6) }
.compare-median::first-letter { text-transform: uppercase }
.compare-side h2 + p { margin-top: 0 }
.compare-side { padding: var(--space-3) var(--space-4); overflow-wrap: anywhere; min-width: 0 }
.compare-side h2 { margin: 0 }
.compare-outcome { margin: var(--space-2) 0 }
.compare-sides + .note { margin-top: var(--space-3) }
.compare-state { margin: var(--space-4) 0 0 }
.compare-state ~ h2 { margin: var(--space-6) 0 var(--space-3) }
.compare-state ~ ul { display: grid; gap: var(--space-1); margin-top: var(--space-3); overflow-wrap: anywhere }
.stacked .name { font: 400 .86em var(--mono); overflow-wrap: anywhere }
.compare-form { display: grid; gap: var(--space-3); max-width: 40rem; margin: var(--space-6) 0 }
.compare-form label { display: grid; gap: 2px }
@media (max-width: 40rem) { .compare-sides { grid-template-columns: 1fr } }
`)}`
