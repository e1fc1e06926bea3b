// Draws a comparison of runs: which ones, then a table for what got worse, what got better, and what only one of them has.

import { emptyState } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { routeChanges } from '../../compare/compare-runs.ts'
import { doOverlap, type ComparedRun, type RunComparison } from '../../compare/read-runs.ts'
import { runText, scopeText } from '../../query/runs-markdown.ts'
import { runsChoice, type RunsForm } from './runs-form.ts'
import { runsSection } from './runs-table.ts'

/** What the page is drawn from. */
export interface RunsView extends RunsForm {
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  /** Why nothing is compared; `null` where something is, or where the address cannot be used. */
  readonly nothing: string | null
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The comparison, and the way to others. */
export function runsView(view: RunsView): SafeHtml {
  const { problems, comparison, nothing } = view
  return html`${problems.map((sentence) => html`<p class="note tone-warning">${sentence}</p>`)}
  ${nothing === null ? null : emptyState(nothing)}
  ${comparison === null ? runsChoice(view) : comparisonPart(comparison, view)}`
}

function comparisonPart(comparison: RunComparison, view: RunsView): SafeHtml {
  const { run, base, routes } = comparison
  return html`<div class="run-sides">${side('Run', run)} ${side('Base', base)}</div>
    ${runsChoice(view)}
    ${doOverlap(run, base) ? html`<p class="note tone-warning">Their times overlap: some profiles count on both sides.</p>` : null}
    ${run.omitted + base.omitted > 0 ? html`<p class="note tone-warning">A route that only one side has may be one of the rarest of the other, which are left out.</p>` : null}
    <p class="row spread screen-only">
      <span class="muted small"
        >The run above, the base below it; + means that the run has more. Own code is the median, queries the
        average.</span
      >
      ${fixedLink(comparison, view)}
    </p>
    ${routes.length === 0 ? emptyState('Neither side has a profile.') : routeChanges.map((change) => runsSection(change, comparison, view))}`
}

function side(title: string, run: ComparedRun): SafeHtml {
  return html`<div class="card run-side">
    <h2>${title}</h2>
    <p>${capital(runText(run))}</p>
    <p class="muted small">${capital(scopeText(run))}.</p>
  </div>`
}

/** A run that goes on grows: the address with its end says the same tomorrow. */
function fixedLink({ run, base }: RunComparison, { query, profilerPath, now }: RunsView): SafeHtml {
  const fixed = query.address({ run: { ...run, until: run.until ?? now }, base })
  return html`<a href="${profilerPath}/compare-runs?${fixed}">Permalink${run.until === null ? ', up to now' : ''}</a>`
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** For this page. */
export const runsStyles: SafeHtml = styleSheet(`
.run-sides { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-3); margin: var(--space-4) 0 }
.run-side { padding: var(--space-3) var(--space-4); min-width: 0; overflow-wrap: anywhere }
.run-side h2, .run-side p { margin: 0 }
.run-section { margin-top: var(--space-4) }
.runs-choice { margin: var(--space-4) 0 }
.runs-choice .filter-form { margin: var(--space-3) 0 }
.run-links { margin-top: var(--space-3) }
.run-routes .name { text-align: left; font-weight: 400; font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere }
.run-routes .name .badge, .run-routes .name a { font-family: var(--font) }
.run-routes td { vertical-align: top }
.run-delta { font-weight: 600; font-size: var(--size-small); color: var(--tone-ink) }
.filters label.run-time { width: 14.5rem }
@media (min-width: 64rem) {
  .run-routes { table-layout: fixed }
  .run-routes thead .number { width: 12.5% }
  .run-routes thead .number:is(:nth-child(2), :nth-child(6)) { width: 8% }
}
@media (max-width: 40rem) {
  .run-sides { grid-template-columns: 1fr }
  .run-routes thead { display: none }
  .run-routes, .run-routes tbody { display: block }
  .run-routes tr { display: grid; grid-template-columns: 1fr 1fr; padding: var(--space-2); border-top: 1px solid var(--line) }
  .run-routes tbody tr:first-child { border-top: 0 }
  .run-routes tr > * { border: 0 !important; padding: 0 0 var(--space-1); font-size: var(--size-small); box-shadow: none !important }
  .filters label.run-time { width: auto; grid-column: 1 / -1 }
  .run-routes .number { text-align: left }
  .run-routes .name { grid-column: 1 / -1 }
  .run-routes td[data-label]::before { content: attr(data-label); display: block; color: var(--muted); font-size: var(--size-small) }
}
`)
