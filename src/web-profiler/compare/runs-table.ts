// The routes of two runs that have one thing in common, one row each: the run above, the base below it.

import { badge, formatDuration, type Tone } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { cutText } from '../../pages/page-budget.ts'
import { isWorse, type RouteChange, type RouteDifference } from '../../profiler/compare/compare-runs.ts'
import type { RunComparison, RunRange } from '../../profiler/compare/read-runs.ts'
import type { ProfileGroup } from '../../profiler/profile-store.ts'
import { meanText } from '../groups/groups-table.ts'
import { instantText, type RunQuery } from './run-query.ts'
import { changeTitles, errorText, relativeText, routeText, verdictTexts } from './run-text.ts'

/** What its links are made from. */
export interface RunsTablePlace {
  readonly query: RunQuery
  readonly profilerPath: string
}

/** The routes with one change; nothing where there are none. What stayed the same is folded. */
export function runsSection(change: RouteChange, comparison: RunComparison, view: RunsTablePlace): SafeHtml | null {
  const found = comparison.routes.filter((one) => one.change === change)
  if (found.length === 0) return null
  const title = `${changeTitles[change]} (${found.length})`
  const table = html`<table class="table run-routes">
    <caption class="visually-hidden">
      ${changeTitles[change]}
    </caption>
    <thead>
      <tr>
        <th scope="col">Route</th>
        <th scope="col" class="number">Profiles</th>
        <th scope="col" class="number">p50</th>
        <th scope="col" class="number">p95</th>
        <th scope="col" class="number">Own code</th>
        <th scope="col" class="number">Queries</th>
        <th scope="col" class="number">Errors</th>
      </tr>
    </thead>
    <tbody>
      ${found.map((one) => row(one, comparison, view))}
    </tbody>
  </table>`
  return change === 'same'
    ? html`<details class="fold run-section">
        <summary>${title}</summary>
        ${table}
      </details>`
    : html`<section class="run-section" aria-labelledby="run-${change}">
        <h2 id="run-${change}">${title}</h2>
        ${table}
      </section>`
}

function row(one: RouteDifference, comparison: RunComparison, { query, profilerPath }: RunsTablePlace): SafeHtml {
  const { route, verdicts, isFew, run, base } = one
  const marks = verdicts.map(
    (verdict) => html`${badge(verdictTexts[verdict], isWorse(verdict) ? 'warning' : 'success')} `,
  )
  const list = (range: RunRange, count: number): SafeHtml | string =>
    route === null
      ? count.toLocaleString('en')
      : html`<a href="${profilerPath}/?${listAddress(query, route, range)}">${count.toLocaleString('en')}</a>`
  const figure = (read: (group: ProfileGroup) => number | null, show: (value: number) => string): SafeHtml =>
    pair(run === null ? null : read(run), base === null ? null : read(base), show)
  return html`<tr class="tone-${toneOf(one)}">
    <th scope="row" class="name">
      ${route === null ? html`<span class="muted">${routeText(route)}</span>` : cutText(route, 300)}
      <span class="run-marks">${marks}${isFew ? badge('few profiles') : null}</span>
      ${
        run === null || base === null
          ? null
          : html`<a class="small screen-only" href="${profilerPath}/compare?a=${run.lastToken}&b=${base.lastToken}"
              >newest of both</a
            >`
      }
    </th>
    <td class="number" data-label="profiles">
      ${run === null ? html`<span class="muted">none</span>` : list(comparison.run, run.count)}
      <div class="muted small">${base === null ? 'none' : list(comparison.base, base.count)}</div>
    </td>
    <td class="number" data-label="p50">${figure(({ p50Ms }) => p50Ms, formatDuration)}</td>
    <td class="number" data-label="p95">${figure(({ p95Ms }) => p95Ms, formatDuration)}</td>
    <td class="number" data-label="own code">${figure(({ ownCpuP50Ms }) => ownCpuP50Ms, formatDuration)}</td>
    <td class="number" data-label="queries">${figure(({ meanQueries }) => meanQueries, meanText)}</td>
    <td class="number" data-label="errors">
      ${run === null ? html`<span class="muted">–</span>` : errorText(run)}
      <div class="muted small">${base === null ? '–' : errorText(base)}</div>
    </td>
  </tr> `
}

/** The run above, the base below it. */
function pair(run: number | null, base: number | null, show: (value: number) => string): SafeHtml {
  const delta = run === null || base === null ? '' : relativeText(run, base)
  const tone: Tone = run === null || base === null || run === base ? 'neutral' : run > base ? 'warning' : 'success'
  return html`${delta === '' || delta === '±0' ? null : html`<span class="run-delta tone-${tone}">${delta}</span> `}${run === null ? html`<span class="muted">–</span>` : show(run)}
    <div class="muted small">${base === null ? '–' : show(base)}</div>`
}

function toneOf({ change, verdicts }: RouteDifference): Tone {
  if (change === 'worse') return verdicts.includes('more-errors') ? 'error' : 'warning'
  return change === 'better' ? 'success' : 'neutral'
}

function listAddress({ list }: RunQuery, route: string, { since, until }: RunRange): string {
  const parts = new URLSearchParams(list.with({ route }))
  for (const [name, time] of Object.entries({ since, until })) {
    if (time === null) parts.delete(name)
    else parts.set(name, instantText(time))
  }
  return parts.toString()
}
