// `/_profiler/compare-runs`: what an application did in one stretch of time against another, route by route. The address is the
// permalink. If no run is named, the two newest starts of a process are compared.

import { wallMs } from '../../../base/timing/builtins.ts'
import { codeSpan } from '../../../base/markdown-text.ts'
import { findRuns, recentStarts, recentVersions, readRuns, namedOrNull } from '../../compare/read-runs.ts'
import type { FoundRuns, RunComparison, AskedRuns, RunScope, RunsRequest } from '../../compare/read-runs.ts'
import { NotedReads } from '../../../profiles/query/missing-parts.ts'
import { fromStore, type ProfilerPage, type PageTools } from '../../../pages/profiler-page.ts'
import { nothingFound, runsMarkdown, runsText, runsBlocks, scopeParts } from '../../compare/runs-blocks.ts'
import { emptyState, fold, formatTime } from '../../../base/html/components.ts'
import { html, type SafeHtml } from '../../../base/html/html.ts'
import { styleSheet } from '../../../base/html/style-sheet.ts'
import { parseQuery } from '../../../base/http/query.ts'
import { cutText } from '../../../base/redact/cut-text.ts'
import type { PageLink } from '../../../observe/blocks/blocks.ts'
import { filters } from '../../../profiles/query/filters.ts'
import { countedProfiles } from '../../../profiles/query/groups.ts'
import { isoTime } from '../../../profiles/profile-facts.ts'
import { blockStyles, drawBlocks, wideStyles } from '../../../pages/draw-blocks.ts'
import { textField } from '../../../pages/form-parts.ts'
import { countedParts, ListQuery } from '../../../pages/list-query.ts'
import { readValues } from '../../../pages/query-values.ts'

/** Groups the newest 10,000 profiles of each side. 400 for what cannot be used. */
export const runsPage: ProfilerPage = async ({ request }, tools) => {
  const { profilerPath } = tools.options
  const query = new RunQuery(request.rawQuery)
  const reads = new NotedReads(tools.options.profiles)
  const { runs, comparison, found } = await read(query, reads)
  const { missing } = reads
  const problems = found?.state === 'no-base' ? [...query.problems, nothingFound(found)] : query.problems
  const nothing = found === null || found.state === 'found' || found.state === 'no-base' ? null : found
  return {
    problems,
    ignored: query.list.ignored,
    missing,
    html: () => ({
      title: 'Runs',
      content: runsView({
        query,
        ...runs,
        comparison,
        nothing: nothing === null ? null : nothingFound(nothing),
        profilerPath,
        linkTo: tools.linkTo,
        now: wallMs(),
      }),
      styles: [runsStyles],
    }),
    json: () => ({
      run: null,
      base: null,
      routes: [],
      ...comparison,
      ...runs,
      missing,
      problems,
      ignored: query.list.ignored,
    }),
    markdown: () => {
      if (comparison !== null) return runsMarkdown(comparison)
      return runsText(nothing === null ? [] : [nothingFound(nothing, codeSpan)])
    },
  }
}

interface ReadPage {
  readonly runs: { readonly starts: readonly number[]; readonly versions: readonly string[] }
  readonly comparison: RunComparison | null
  /** `null` if the address cannot be used. */
  readonly found: FoundRuns | null
}

async function read({ asked, problems }: RunQuery, profiles: NotedReads): Promise<ReadPage> {
  if (problems.length > 0) return { runs: { starts: [], versions: [] }, comparison: null, found: null }
  return fromStore(async () => {
    const [found, starts, versions] = await Promise.all([
      findRuns(profiles, asked),
      recentStarts(profiles),
      recentVersions(profiles),
    ])
    const runs = { starts, versions }
    return { runs, comparison: found.state === 'found' ? await readRuns(profiles, found) : null, found }
  })
}

interface RunsView extends RunsForm {
  /** Why nothing is compared; `null` if something is, or if the address cannot be used. */
  readonly nothing: string | null
  /** Milliseconds since 1970. */
  readonly now: number
  readonly linkTo: PageTools['linkTo']
}

function runsView(view: RunsView): SafeHtml {
  const { comparison, nothing, query, profilerPath, linkTo } = view
  const pageTo = ({ page, with: parts }: Pick<PageLink, 'page' | 'with'>): string => {
    const filters = page === 'compare' ? {} : Object.fromEntries(new URLSearchParams(query.list.with({})))
    const matched = parts['matched'] === undefined ? {} : countedParts(query.list)
    const given = Object.entries({ ...filters, ...matched, ...parts }).filter(
      ([name, value]) => value !== '' && !baseNames.includes(name),
    )
    return `${profilerPath}/${page}?${String(new URLSearchParams(given))}`
  }
  return html`${nothing === null ? null : emptyState(nothing)} ${runsChoice(view)}
  ${
    comparison === null
      ? null
      : html`<p class="screen-only">${fixedLink(comparison, view)}</p>
          ${drawBlocks(runsBlocks(comparison), 'route', { linkTo, pageTo })}`
  }`
}

/** A run that is still running grows; the address with its end shows the same tomorrow. */
function fixedLink({ run, base }: RunComparison, { query, profilerPath, now }: RunsView): SafeHtml {
  const fixed = query.address({ run: { ...run, until: run.until ?? now }, base })
  return html`<a href="${profilerPath}/compare-runs?${fixed}">Permalink</a>`
}

const runsStyles: SafeHtml = html`${blockStyles}${wideStyles}${styleSheet(`
.runs-choice { margin: var(--space-4) 0 }
.runs-choice .filter-form { margin: var(--space-3) 0 }
td.number a { display: inline-block; min-width: 1.5rem; line-height: 1.5rem }
.run-links { margin-top: var(--space-3) }
main > h2 { margin: var(--space-6) 0 var(--space-3) }
.filters label.run-time { width: 14.5rem }
@media (max-width: 40rem) {
  .filters label.run-time { width: auto; grid-column: 1 / -1 }
}
`)}`

/** Parts of the address that name the older run, by what their fields are called. */
const baseLabels = {
  'base-since': 'Before: from (UTC)',
  'base-until': 'Before: to (UTC)',
  'base-version': 'Before: version',
} as const

type BaseName = keyof typeof baseLabels

const baseNames: readonly string[] = Object.keys(baseLabels)

class RunQuery {
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
      filter: countedProfiles(list.filter),
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
    for (const [name, text] of Object.entries({ ...scopeParts(run), ...scopeParts(base, 'base-') })) {
      if (text === '') parts.delete(name)
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
