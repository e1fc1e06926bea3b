// Draws a comparison of runs: both sides, then a table of routes per verdict.

import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  fold,
  formatDuration,
  note,
  section,
  type Tone,
  formatCount,
  formatTime,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type {
  RouteChange,
  RouteDifference,
  Verdict,
  ComparedRun,
  RunComparison,
  RunScope,
  AskedRuns,
  RunsRequest,
} from '../../compare/read-runs.ts'
import { routeChanges, isWorse, doOverlap, namedOrNull } from '../../compare/read-runs.ts'
import {
  runText,
  scopeText,
  changeTitles,
  errorText,
  relativeText,
  routeText,
  verdictTexts,
  warmUpSentence,
} from '../../query/runs-markdown.ts'
import type { ProfileGroup } from '../../profile-store.ts'
import { countedParts, ListQuery } from '../list-query.ts'
import { meanText, countedProfiles } from '../../query/groups.ts'
import { parseQuery } from '../../../framework/http/query.ts'
import { filters } from '../../query/filters.ts'
import { isoTime } from '../../query/profile-facts.ts'
import { textField } from '../form-parts.ts'
import { readValues } from '../query-values.ts'

interface RunsView extends RunsForm {
  /** Why nothing is compared; `null` if something is, or if the address cannot be used. */
  readonly nothing: string | null
  /** Milliseconds since 1970. */
  readonly now: number
}

export function runsView(view: RunsView): SafeHtml {
  const { comparison, nothing } = view
  return html`${nothing === null ? null : emptyState(nothing)}
  ${comparison === null ? runsChoice(view) : comparisonPart(comparison, view)}`
}

function comparisonPart(comparison: RunComparison, view: RunsView): SafeHtml {
  const { run, base, routes } = comparison
  return html`<div class="run-sides">${side('After', run)} ${side('Before', base)}</div>
    ${runsChoice(view)}
    ${doOverlap(run, base) ? note('The times overlap, so some profiles count on both sides.') : null}
    ${run.omitted + base.omitted > 0 ? note('A route missing on one side may be among its rarest routes, which are not shown.') : null}
    <p class="row spread screen-only">
      <span class="muted small"
        >After on top, before below; + means more after. Own code is the median, queries the mean.
        ${warmUpSentence}</span
      >
      ${fixedLink(comparison, view)}
    </p>
    ${routes.length === 0 ? emptyState('Neither run has profiles.') : routeChanges.map((change) => runsSection(change, comparison, view))}`
}

function side(title: string, run: ComparedRun): SafeHtml {
  return html`<div class="card run-side">
    <h2>${title}</h2>
    <p>${capital(runText(run))}</p>
    <p class="muted small">${capital(scopeText(run))}.</p>
  </div>`
}

/** A run that is still running grows; the address with its end shows the same tomorrow. */
function fixedLink({ run, base }: RunComparison, { query, profilerPath, now }: RunsView): SafeHtml {
  const fixed = query.address({ run: { ...run, until: run.until ?? now }, base })
  return html`<a href="${profilerPath}/compare-runs?${fixed}">Permalink</a>`
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

export const runsStyles: SafeHtml = styleSheet(`
.run-sides { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-3); margin: var(--space-4) 0 }
.run-side { padding: var(--space-3) var(--space-4); min-width: 0; overflow-wrap: anywhere }
.run-side h2, .run-side p { margin: 0 }
.run-section { margin-top: var(--space-4) }
.runs-choice { margin: var(--space-4) 0 }
.runs-choice .filter-form { margin: var(--space-3) 0 }
.runs-choice + p a { font-size: var(--size-small) }
.run-links { margin-top: var(--space-3) }
.run-routes .name { text-align: left; font-weight: 400; font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere }
.run-routes .name .badge, .run-routes .name a { font-family: var(--font) }
.run-routes td { vertical-align: top }
.run-routes td a { display: inline-block; min-width: 1.5rem; line-height: 1.5rem }
.run-delta { font-weight: 600; font-size: var(--size-small); color: var(--tone-ink) }
.filters label.run-time { width: 14.5rem }
@media (width > 70rem) {
  .run-routes { table-layout: fixed }
  .run-routes thead .number { width: 12.5% }
  .run-routes thead .number:is(:nth-child(2), :nth-child(6)) { width: 8% }
}
@media (width <= 70rem) {
  .run-routes thead { display: none }
  .run-routes, .run-routes tbody { display: block }
  .run-routes tr { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); padding: var(--space-2); border-top: 1px solid var(--line) }
  .run-routes tbody tr:first-child { border-top: 0 }
  .run-routes tr > * { border: 0 !important; padding: 0 var(--space-2) var(--space-1) 0; font-size: var(--size-small); box-shadow: none !important }
  .run-routes .number { text-align: left }
  .run-routes .name { grid-column: 1 / -1 }
  .run-routes td[data-label]::before { content: attr(data-label); display: block; color: var(--muted); font-size: var(--size-small) }
}
@media (max-width: 40rem) {
  .run-sides { grid-template-columns: 1fr }
  .run-routes tr { grid-template-columns: repeat(3, minmax(0, 1fr)) }
  .run-delta { display: block }
  .filters label.run-time { width: auto; grid-column: 1 / -1 }
}
`)

interface RunsTablePlace {
  readonly query: RunQuery
  readonly profilerPath: string
}

/** The routes with one change; nothing if there are none. What stayed the same is folded. */
function runsSection(change: RouteChange, comparison: RunComparison, view: RunsTablePlace): SafeHtml | null {
  const found = comparison.routes.filter((one) => one.change === change)
  if (found.length === 0) return null
  const title = `${changeTitles[change]} (${found.length})`
  const figures = ['Profiles', 'p50', 'p95', 'Own code', 'Queries', 'Errors']
  const table = dataTable(
    'run-routes',
    changeTitles[change],
    ['Route', ...figures.map((head) => columnHead(head, 'number'))],
    found.map((one) => row(one, comparison, view)),
  )
  return change === 'same'
    ? fold(title, table, { className: 'run-section' })
    : section(`run-${change}`, title, table, 'run-section')
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

function nameCell({ route, verdicts, isFew, run, base }: RouteDifference, { profilerPath }: RunsTablePlace): SafeHtml {
  return html`<th scope="row" class="name">
    ${route === null ? html`<span class="muted">${routeText(route)}</span>` : cutText(route, 300)}
    ${isFew ? null : verdicts.map((verdict) => html`${badge(verdictTexts[verdict], isWorse(verdict) ? 'warning' : 'success')} `)}
    ${
      run === null || base === null
        ? null
        : html`<a class="small nowrap screen-only" href="${profilerPath}/compare?a=${run.lastToken}&b=${base.lastToken}"
            >Compare</a
          >`
    }
  </th>`
}

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
  return html`<a href="${profilerPath}/?${parts.toString()}">${formatCount(count)}</a>`
}

/** The run above, the base below it; the one there is if the other has none. */
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

/** Parts of the address that name the older run, by what their fields are called. */
const baseLabels = {
  'base-since': 'Before: from (UTC)',
  'base-until': 'Before: to (UTC)',
  'base-version': 'Before: version',
} as const

type BaseName = keyof typeof baseLabels

const baseNames: readonly string[] = Object.keys(baseLabels)

export class RunQuery {
  readonly list: ListQuery
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  readonly asked: AskedRuns
  readonly #values: ReadonlyMap<BaseName, string>

  constructor(rawQuery: string) {
    const list = new ListQuery(rawQuery, baseNames)
    this.list = list
    const problems = [...list.problems]
    this.#values = readValues(parseQuery(rawQuery), baseLabels, problems)
    const { since = null, until = null, version = null } = list.filter
    const base = {
      since: this.#instant('base-since', problems),
      until: this.#instant('base-until', problems),
      version: this.value('base-version') === '' ? null : this.value('base-version'),
    }
    this.asked = {
      filter: countedProfiles(list.filter, 'route'),
      run: namedOrNull({ since, until, version }),
      base: namedOrNull(base),
    }
    this.problems = problems
  }

  /** A part of the base as it was typed; empty if it was not. */
  value(name: BaseName): string {
    return this.#values.get(name) ?? ''
  }

  /** The same filters for two runs that are named whole, encoded for an address. */
  address({ run, base }: Pick<RunsRequest, 'run' | 'base'>): string {
    const parts = new URLSearchParams(this.list.with({}))
    for (const [name, text] of [...scopeParts(run), ...scopeParts(base, 'base-')]) {
      if (text === null) parts.delete(name)
      else parts.set(name, text)
    }
    return parts.toString()
  }

  #instant(name: 'base-since' | 'base-until', problems: string[]): number | null {
    const text = this.value(name)
    if (text === '') return null
    const read = filters[name === 'base-since' ? 'since' : 'until'].read(text)
    if ('problem' in read) {
      problems.push(read.problem)
      return null
    }
    return read.filter.since ?? read.filter.until ?? null
  }
}

/** What names a run in an address; `null` for what is open. */
function scopeParts(
  { since, until, version }: RunScope,
  prefix: '' | 'base-' = '',
): readonly (readonly [name: string, text: string | null])[] {
  return [
    [`${prefix}since`, since === null ? null : isoTime(since)],
    [`${prefix}until`, until === null ? null : isoTime(until)],
    [`${prefix}version`, version],
  ]
}

interface RunsForm {
  readonly query: RunQuery
  readonly starts: readonly number[]
  /** Versions of the application, the one that was seen last first. */
  readonly versions: readonly string[]
  /** The run whose times and versions are in fields that were left empty. */
  readonly comparison: RunComparison | null
  readonly profilerPath: string
}

/** Versions and starts that are offered, at most. */
const maxOffered = 6
const open: RunScope = { since: null, until: null, version: null }

/** Each version of the application against the one before it, and each start. */
function runLinks({ query, starts, versions, profilerPath }: RunsForm): SafeHtml {
  const link = (run: RunScope, base: RunScope, name: string, baseName: string): SafeHtml =>
    html`<li>
      <a href="${profilerPath}/compare-runs?${query.address({ run, base })}">${name}</a>
      <span class="muted">against ${baseName}</span>
    </li> `
  const ofVersions = versions.slice(0, maxOffered).flatMap((version, index) => {
    const before = versions[index + 1]
    if (before === undefined) return []
    return [link({ ...open, version }, { ...open, version: before }, cutText(version, 80), cutText(before, 80))]
  })
  const ofStarts = starts.slice(0, -1).map((since, index) => {
    const before = starts[index + 1] ?? null
    const run = { ...open, since, until: starts[index - 1] ?? null }
    return link(run, { ...open, since: before, until: since }, formatTime(since), `${formatTime(before ?? 0)} UTC`)
  })
  return html`${folded('Versions, each compared with the one before', ofVersions)}
  ${folded('Starts, each compared with the one before', ofStarts)}`
}

function folded(title: string, links: readonly SafeHtml[]): SafeHtml | null {
  return links.length === 0
    ? null
    : fold(
        title,
        html`<ul>
          ${links}
        </ul>`,
        { className: 'run-links screen-only' },
      )
}

/** What else can be compared: forms and links, unfolded if nothing is compared or something is filtered. */
function runsChoice(form: RunsForm): SafeHtml {
  const { query, comparison } = form
  const isNarrowed = (['url', 'route', 'method'] as const).some((name) => query.list.value(name) !== '')
  return fold('Other runs and filters', html`${runsForm(form)} ${runLinks(form)}`, {
    isOpen: comparison === null || isNarrowed,
    className: 'runs-choice screen-only',
  })
}

/** Works without a script: the address carries both runs and the filters. */
function runsForm(form: RunsForm): SafeHtml {
  const { query, comparison, profilerPath } = form
  const { list } = query
  const time = (name: string, label: string, typed: string, used: number | null | undefined): SafeHtml => {
    const value = typed === '' && typeof used === 'number' ? isoTime(used) : typed
    return textField({ name, label, value, hint: '2026-11-21T08:00', className: 'run-time' })
  }
  const text = (name: 'url' | 'route' | 'method', hint: string): SafeHtml =>
    textField({ name, label: filters[name].label, value: list.value(name), hint })
  return html`<form class="filter-form screen-only" action="${profilerPath}/compare-runs">
      ${hiddenParts(list.with(baseVersion(query)), fieldsOfTimes)}
      <div class="filters">
        ${time('since', 'After: from (UTC)', list.value('since'), comparison?.run.since)}
        ${time('until', 'After: to (UTC)', list.value('until'), comparison?.run.until)}
        ${time('base-since', baseLabels['base-since'], query.value('base-since'), comparison?.base.since)}
        ${time('base-until', baseLabels['base-until'], query.value('base-until'), comparison?.base.until)}
        ${text('url', '/products')} ${text('route', 'product')} ${text('method', 'GET')}
        <div class="row filter-buttons">
          <button class="button">Compare</button>
          <a class="button" href="${profilerPath}/compare-runs">Clear</a>
        </div>
      </div>
    </form>
    ${versionsForm(form)}`
}

/** A second form, because versions and times are not given together. */
function versionsForm({ query, comparison, versions, profilerPath }: RunsForm): SafeHtml | null {
  const { list } = query
  const used = [comparison?.run.version, comparison?.base.version]
  const [run = null, base = null] = [list.value('version') || used[0], query.value('base-version') || used[1]]
  if (versions.length === 0 && run === null && base === null) return null
  const field = (name: string, label: string, value: string | null, hint: string): SafeHtml =>
    html`<label
      >${label}<input class="field" name="${name}" value="${value}" placeholder="${hint}" list="run-versions"
    /></label> `
  return html`<form class="filter-form screen-only" action="${profilerPath}/compare-runs">
    ${hiddenParts(list.with({}), fieldsOfVersions)}
    <datalist id="run-versions">${versions.map((version) => html`<option value="${version}"></option> `)}</datalist>
    <div class="filters">
      ${field('version', 'After: version', run, '2.1.0')}
      ${field('base-version', baseLabels['base-version'], base, '2.0.0')}
      <div class="row filter-buttons"><button class="button">Compare versions</button></div>
    </div>
  </form>`
}

const fieldsOfTimes: ReadonlySet<string> = new Set(['since', 'until', 'url', 'route', 'method', 'limit'])
const fieldsOfVersions: ReadonlySet<string> = new Set(['since', 'until', 'version', 'limit'])

function baseVersion(query: RunQuery): Readonly<Record<string, string>> {
  const version = query.value('base-version')
  return version === '' ? {} : { 'base-version': version }
}

/** Parts of the address that a form has no field for. */
function hiddenParts(encoded: string, fields: ReadonlySet<string>): readonly SafeHtml[] {
  return [...new URLSearchParams(encoded)]
    .filter(([name]) => !fields.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
}
