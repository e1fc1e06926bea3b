// The way to a comparison of runs: a form that names both, and the starts of the application.

import { formatTime } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import type { RunComparison, RunRange } from '../../profiler/compare/read-runs.ts'
import { filterLabel } from '../list-query.ts'
import { baseLabels, instantText, type RunQuery } from './run-query.ts'

/** What it is drawn from. */
export interface RunsForm {
  readonly query: RunQuery
  /** When processes began, the newest first. */
  readonly starts: readonly number[]
  /** Whose times stand in fields that were left empty. */
  readonly comparison: RunComparison | null
  readonly profilerPath: string
}

/** Each start of a process against the one before it. */
export function startLinks({ query, starts, profilerPath }: RunsForm): SafeHtml | null {
  if (starts.length < 2) return null
  const pairs = starts.slice(0, -1).map((since, index) => {
    const run: RunRange = { since, until: starts[index - 1] ?? null }
    return { run, base: { since: starts[index + 1] ?? null, until: since } }
  })
  return html`<details class="fold run-starts screen-only">
    <summary>Starts of the application: each against the one before</summary>
    <ul>
      ${pairs.map(
        (ranges) =>
          html`<li>
            <a href="${profilerPath}/compare-runs?${query.address(ranges)}">${formatTime(ranges.run.since ?? 0)}</a>
            <span class="muted">against ${formatTime(ranges.base.since ?? 0)} UTC</span>
          </li> `,
      )}
    </ul>
  </details>`
}

/** Works without a script: the address carries both runs and the filters. */
export function runsForm({ query, comparison, profilerPath }: RunsForm): SafeHtml {
  const { list } = query
  const time = (name: string, label: string, typed: string, used: number | null | undefined): SafeHtml =>
    html`<label class="run-time"
      >${label}<input
        class="field"
        name="${name}"
        value="${typed === '' && typeof used === 'number' ? instantText(used) : typed}"
        placeholder="2026-11-21T08:00"
    /></label> `
  const text = (name: 'url' | 'route' | 'method', hint: string): SafeHtml =>
    html`<label
      >${filterLabel(name)}<input class="field" name="${name}" value="${list.value(name)}" placeholder="${hint}"
    /></label> `
  return html`<form class="filter-form screen-only" action="${profilerPath}/compare-runs">
    ${hiddenParts(list.with({})).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div class="filters">
      ${time('since', 'Run from (UTC)', list.value('since'), comparison?.run.since)}
      ${time('until', 'Run before (UTC)', list.value('until'), comparison?.run.until)}
      ${time('base-since', baseLabels['base-since'], query.value('base-since'), comparison?.base.since)}
      ${time('base-until', baseLabels['base-until'], query.value('base-until'), comparison?.base.until)}
      ${text('url', '/products')} ${text('route', 'product')} ${text('method', 'GET')}
      <div class="row filter-buttons">
        <button class="button">Compare</button>
        <a class="button" href="${profilerPath}/compare-runs">Clear</a>
      </div>
    </div>
  </form>`
}

const ownFields: ReadonlySet<string> = new Set(['since', 'until', 'url', 'route', 'method', 'limit'])

/** Filters of the list that the form has no field for. */
function hiddenParts(encoded: string): readonly (readonly [name: string, value: string])[] {
  return [...new URLSearchParams(encoded)].filter(([name]) => !ownFields.has(name))
}
