// The routes of two runs that have one thing in common, one row each: the run above, the base below it.

import { badge, formatDuration, type Tone } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../errors/page/page-budget.ts'
import { isWorse, type RouteChange, type RouteDifference, type Verdict } from '../../compare/compare-runs.ts'
import type { RunComparison, RunScope } from '../../compare/read-runs.ts'
import type { ProfileGroup } from '../../profile-store.ts'
import { countedParts } from '../list-query.ts'
import { meanText } from '../../query/groups.ts'
import { scopeParts, type RunQuery } from './run-query.ts'
import { changeTitles, errorText, relativeText, routeText, verdictTexts } from '../../query/runs-markdown.ts'

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
    (scope: RunScope) =>
    (group: ProfileGroup): SafeHtml =>
      profilesLink(route, group, scope, place)
  const sides = sidesOf(one)
  const time = (judged: Judged, read: (group: ProfileGroup) => number | null): SafeHtml =>
    figure(one, judged, read, formatDuration)
  return html`<tr class="tone-${toneOf(one)}">
    ${nameCell(one, place)}
    <td class="number" data-label="profiles">
      ${run === null ? null : list(comparison.run)(run)}
      ${base === null ? null : html`<div class="${run === null ? '' : 'muted small'}">${list(comparison.base)(base)}</div>`}
    </td>
    <td class="number" data-label="p50">${time(judgedBy.p50, ({ p50Ms }) => p50Ms)}</td>
    <td class="number" data-label="p95">${time(judgedBy.p95, ({ p95Ms }) => p95Ms)}</td>
    <td class="number" data-label="own code">${time(judgedBy.ownCode, ({ ownCpuP50Ms }) => ownCpuP50Ms)}</td>
    <td class="number" data-label="queries">
      ${figure(one, judgedBy.queries, ({ meanQueries }) => meanQueries, meanText)}
    </td>
    <td class="number" data-label="errors">
      ${sides.map((group, index) => html`<div class="${index === 0 ? '' : 'muted small'}">${errorText(group)}</div>`)}
    </td>
  </tr> `
}

function nameCell(
  { route, verdicts, isFew, change, run, base }: RouteDifference,
  { profilerPath }: RunsTablePlace,
): SafeHtml {
  return html`<th scope="row" class="name">
    ${route === null ? html`<span class="muted">${routeText(route)}</span>` : cutText(route, 300)}
    ${verdicts.map((verdict) => html`${badge(verdictTexts[verdict], isFew ? 'neutral' : isWorse(verdict) ? 'warning' : 'success')} `)}
    ${isFew && change !== 'few' ? badge('few profiles') : null}
    ${
      run === null || base === null
        ? null
        : html`<a class="small nowrap screen-only" href="${profilerPath}/compare?a=${run.lastToken}&b=${base.lastToken}"
            >newest of both</a
          >`
    }
  </th>`
}

/** The profiles of one side. */
function profilesLink(
  route: string | null,
  { count }: ProfileGroup,
  scope: RunScope,
  { query, profilerPath }: RunsTablePlace,
): SafeHtml {
  const parts = new URLSearchParams(
    query.list.with(route === null ? { matched: 'no', ...countedParts(query.list) } : { route }),
  )
  for (const [name, text] of scopeParts(scope)) {
    if (text === null) parts.delete(name)
    else parts.set(name, text)
  }
  return html`<a href="${profilerPath}/?${parts.toString()}">${count.toLocaleString('en')}</a>`
}

/** The run above, the base below it; the one there is where the other has none. */
function sidesOf({ run, base }: RouteDifference): readonly ProfileGroup[] {
  return [run, base].filter((group) => group !== null)
}

/** What says that a figure got worse, and what that it got better. */
type Judged = readonly [worse: Verdict, better: Verdict]

const judgedBy = {
  p50: ['slower', 'faster'],
  p95: ['slower-tail', 'faster-tail'],
  ownCode: ['more-own-code', 'less-own-code'],
  queries: ['more-queries', 'fewer-queries'],
} as const satisfies Readonly<Record<string, Judged>>

function figure(
  one: RouteDifference,
  judged: Judged,
  read: (group: ProfileGroup) => number | null,
  show: (value: number) => string,
): SafeHtml {
  const sides = sidesOf(one)
  const [first = null, second = null] = sides.map(read)
  const shown = (value: number | null): SafeHtml | string =>
    value === null ? html`<span class="muted">–</span>` : show(value)
  return html`${delta(first, second, toneOfFigure(one, judged))} ${shown(first)}
  ${sides.length < 2 ? null : html`<div class="muted small">${shown(second)}</div>`}`
}

/** Colour is a verdict: a difference that may be chance has none. */
function toneOfFigure({ verdicts, isFew }: RouteDifference, [worse, better]: Judged): Tone {
  if (isFew) return 'neutral'
  if (verdicts.includes(worse)) return 'warning'
  return verdicts.includes(better) ? 'success' : 'neutral'
}

function delta(run: number | null, base: number | null, tone: Tone): SafeHtml | null {
  if (run === null || base === null) return null
  const text = relativeText(run, base)
  if (text === '' || text === '±0') return null
  return html`<span class="run-delta tone-${tone}">${text}</span>`
}

function toneOf({ change, verdicts }: RouteDifference): Tone {
  if (change === 'worse') return verdicts.includes('more-errors') ? 'error' : 'warning'
  return change === 'better' ? 'success' : 'neutral'
}
