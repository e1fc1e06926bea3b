// The routes of two runs that have one thing in common, one row each: the run above, the base below it.

import { badge, formatDuration, type Tone } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { cutText } from '../../pages/page-budget.ts'
import { isWorse, sameTime, type RouteChange, type RouteDifference } from '../../profiler/compare/compare-runs.ts'
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

function row(one: RouteDifference, comparison: RunComparison, place: RunsTablePlace): SafeHtml {
  const { route, run, base } = one
  const list =
    (range: RunRange) =>
    (group: ProfileGroup): SafeHtml | string =>
      profilesLink(route, group, range, place)
  const sides = sidesOf(one)
  const time = (read: (group: ProfileGroup) => number | null): SafeHtml => figure(sides, read, formatDuration)
  return html`<tr class="tone-${toneOf(one)}">
    ${nameCell(one, place)}
    <td class="number" data-label="profiles">
      ${run === null ? null : list(comparison.run)(run)}
      ${base === null ? null : html`<div class="${run === null ? '' : 'muted small'}">${list(comparison.base)(base)}</div>`}
    </td>
    <td class="number" data-label="p50">${time(({ p50Ms }) => p50Ms)}</td>
    <td class="number" data-label="p95">${time(({ p95Ms }) => p95Ms)}</td>
    <td class="number" data-label="own code">${time(({ ownCpuP50Ms }) => ownCpuP50Ms)}</td>
    <td class="number" data-label="queries">${figure(sides, ({ meanQueries }) => meanQueries, meanText)}</td>
    <td class="number" data-label="errors">
      ${sides.map((group, index) => html`<div class="${index === 0 ? '' : 'muted small'}">${errorText(group)}</div>`)}
    </td>
  </tr> `
}

function nameCell({ route, verdicts, isFew, run, base }: RouteDifference, { profilerPath }: RunsTablePlace): SafeHtml {
  return html`<th scope="row" class="name">
    ${route === null ? html`<span class="muted">${routeText(route)}</span>` : cutText(route, 300)}
    ${verdicts.map((verdict) => html`${badge(verdictTexts[verdict], isWorse(verdict) ? 'warning' : 'success')} `)}
    ${isFew ? badge('few profiles') : null}
    ${
      run === null || base === null
        ? null
        : html`<a class="small nowrap screen-only" href="${profilerPath}/compare?a=${run.lastToken}&b=${base.lastToken}"
            >newest of both</a
          >`
    }
  </th>`
}

/** A filter for profiles without a route does not exist. */
function profilesLink(
  route: string | null,
  { count }: ProfileGroup,
  { since, until }: RunRange,
  { query, profilerPath }: RunsTablePlace,
): SafeHtml | string {
  const text = count.toLocaleString('en')
  if (route === null) return text
  const parts = new URLSearchParams(query.list.with({ route }))
  for (const [name, time] of Object.entries({ since, until })) {
    if (time === null) parts.delete(name)
    else parts.set(name, instantText(time))
  }
  return html`<a href="${profilerPath}/?${parts.toString()}">${text}</a>`
}

/** The run above, the base below it; the one there is where the other has none. */
function sidesOf({ run, base }: RouteDifference): readonly ProfileGroup[] {
  return [run, base].filter((group) => group !== null)
}

function figure(
  sides: readonly ProfileGroup[],
  read: (group: ProfileGroup) => number | null,
  show: (value: number) => string,
): SafeHtml {
  const [first = null, second = null] = sides.map(read)
  const shown = (value: number | null): SafeHtml | string =>
    value === null ? html`<span class="muted">–</span>` : show(value)
  return html`${delta(first, second)} ${shown(first)}
  ${sides.length < 2 ? null : html`<div class="muted small">${shown(second)}</div>`}`
}

function delta(run: number | null, base: number | null): SafeHtml | null {
  if (run === null || base === null) return null
  const text = relativeText(run, base)
  if (text === '' || text === '±0') return null
  // So small a difference is neither good nor bad, for the verdicts as well.
  const isSmall = Math.abs(run - base) < base * sameTime.share
  return html`<span class="run-delta tone-${isSmall ? 'neutral' : run > base ? 'warning' : 'success'}">${text}</span>`
}

function toneOf({ change, verdicts }: RouteDifference): Tone {
  if (change === 'worse') return verdicts.includes('more-errors') ? 'error' : 'warning'
  return change === 'better' ? 'success' : 'neutral'
}
