// The database panel: what ran too often first, then the queries by total time or in the order they ran.

import { cutText } from '../../base/redact/cut-text.ts'
import {
  queryAnchor,
  type DatabaseData,
  type DatabaseQuery,
  type QueryGroup,
} from '../../observe/outgoing/database-data.ts'
import type { Repeat } from '../../observe/outgoing/database-data.ts'
import { badge, emptyState, fold, formatDuration, formatCount } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { countOf, cutMark, PageBudget } from '../../base/html/page-budget.ts'
import { keptMark } from '../notes.ts'
import type { Panel, PanelView } from '../panel.ts'
import { drawBlocks, explainForm, figureRow } from '../draw-blocks.ts'
import { place, table, type Inline, type Line } from '../../observe/blocks/blocks.ts'
import { gathered } from '../../profiles/trace-span.ts'
import { runsBar } from './call-bar.ts'
import { placeLink, type EditorLink } from '../../http/config/editor-link.ts'
import { sqlText } from './sql-text.ts'

const listBytes = 400_000
/** Groups whose text is formatted. */
const maxFormatted = 60
/** Groups of up to this many queries are unfolded. */
const openCount = 5
const name = 'database'

export const noQueries =
  'No database or cache queries were captured. Captured: redis 5.12, ioredis 5.11, mysql2 3.20, mongoose 9.7 or newer; in what fanlight dev starts also pg, SQLite, mongodb and postgres; others once they are observed.'

export const databasePanel: Panel<DatabaseData> = {
  name,
  title: 'Database',
  parameters: ['order'],
  badge: ({ queries, findings, dropped }) => {
    const all = queries.length + dropped
    const failed = queries.filter(({ error }) => error !== null).length
    const hint = countOf(all, 'query', 'queries')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} failed of ${hint}` }
    if (findings.length === 0) return { count: all, tone: 'neutral', hint }
    const count = new Set(findings.map(({ group }) => group)).size
    return { count, tone: 'warning', hint: `${countOf(count, 'finding')}, ${hint}` }
  },
  render: (data, view) => {
    if (data === undefined) return emptyState(noQueries)
    const { queries, groups, dropped } = data
    const budget = new PageBudget(listBytes)
    const names = new Set(groups.map(databaseOf))
    const isSequence = view.values?.get('order') === 'sequence'
    return html`${keptMark(queries.length, dropped, 'queries')} ${figures(data)}
      ${queryFindings(data, budget, view.editor)}
      <div class="row query-order">
        <h3>
          ${isSequence ? 'Queries in sequence' : 'Queries by total time'}${names.size === 1 ? `, ${[...names].join('')}` : null}
        </h3>
        ${orderLink(isSequence, view)}
      </div>
      ${isSequence ? sequence(data, view) : groupCards(data, view, budget)}`
  },
}

function databaseOf({ system, namespace, library }: QueryGroup): string {
  return `${system}${namespace === null ? '' : `, ${namespace}`} · ${library}`
}

function orderLink(isSequence: boolean, { profile, linkTo, values }: PanelView): SafeHtml | null {
  if (values === undefined) return null
  const address = linkTo(profile.token, name)
  const other = isSequence
    ? html`<a class="button" href="${address}">By total time</a>`
    : html`<a class="button" href="${address}&order=sequence">In sequence</a>`
  return html`<span class="row screen-only">
    ${other} <a class="button" href="${linkTo(profile.token, 'time')}&kind=store#timeline">In the timeline</a>
  </span>`
}

function figures({ queries, groups, dropped }: DatabaseData): SafeHtml {
  const totalMs = sumOf(queries)
  return figureRow([
    [String(queries.length + dropped), 'Queries'],
    [String(groups.length), 'Distinct'],
    [formatDuration(totalMs), dropped > 0 ? `Total time of ${queries.length}` : 'Total time'],
  ])
}

/** The most expensive first. */
function groupCards(data: DatabaseData, view: PanelView, budget: PageBudget): readonly SafeHtml[] {
  const members = Map.groupBy(data.queries, ({ group }) => group)
  const cards = data.groups
    .map((group, index) => ({ group, index, runs: members.get(index) ?? [] }))
    .toSorted((one, other) => other.group.totalMs - one.group.totalMs)
  const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more query', 'more queries')} not shown.`)
  return budget.list(
    cards,
    (card, place) => groupCard({ ...card, data, isFormatted: place < maxFormatted }, budget, view),
    { rest },
  )
}

interface Card {
  readonly group: QueryGroup
  readonly index: number
  readonly runs: readonly DatabaseQuery[]
  readonly data: DatabaseData
  readonly isFormatted: boolean
}

function groupCard({ group, index, runs, data, isFormatted }: Card, budget: PageBudget, view: PanelView): SafeHtml {
  const { editor } = view
  const failed = runs.filter(({ error }) => error !== null).length
  const { system, text, count, totalMs } = group
  const shown = cutText(text, 4200)
  const bySite = [...Map.groupBy(runs, ({ callSite }) => callSite)]
  const only = runs.length === 1 ? runs[0] : undefined
  const sites = bySite.map(([callSite, same]) => ({ callSite, count: same.length }))
  return budget.spend(
    html`<article class="card outgoing-call query" id="${queryAnchor(index)}" data-command>
      <h4 class="outgoing-head">
        <span class="outgoing-time"
          >${count === 1 ? formatDuration(totalMs) : `${formatCount(count)} ×, ${formatDuration(totalMs)} total`}</span
        >
        ${failed === 0 ? null : badge(`${failed} failed`, 'error')}
        ${findingMarks(data.findings, index).map((mark) => badge(mark, 'warning'))}
        <span class="muted small"
          >${data.groups.every((one) => databaseOf(one) === databaseOf(group)) ? null : databaseOf(group)}</span
        >
        <button class="button screen-only" type="button" hidden>
          <span>Copy</span><span class="visually-hidden"> the query</span>
        </button>
      </h4>
      <pre class="statement">${isFormatted ? sqlText(shown, system) : shown}</pre>
      ${runsBar(runs, data.durationMs)}
      <div class="row spread">
        <p class="small muted">
          ${places(sites, editor)} ·
          ${only === undefined ? `slowest ${formatDuration(slowestOf(runs))}` : runFacts(only, true)}
        </p>
        ${explainForm({ explains: group, token: view.profile.token, index }, view)}
      </div>
      ${only === undefined ? fold(countOf(runs.length, 'run'), runList(runs, sites.length > 1, editor), { isOpen: runs.length <= openCount }) : errorOf(only)}
    </article> `,
  )
}

function runList(runs: readonly DatabaseQuery[], hasSites: boolean, editor: EditorLink | undefined): SafeHtml {
  return html`<ol class="${hasSites ? 'runs' : 'runs narrow'}">
    ${runs.map((run) => html`<li>${runFacts(run)}${hasSites && run.callSite !== null ? html` · ${placeLink(run.callSite, editor)}` : null}${errorOf(run)}</li> `)}
  </ol>`
}

/** `isOnly`: whether the head of its card says how long it ran. */
function runFacts({ startMs, durationMs, rows }: DatabaseQuery, isOnly = false): string {
  const facts = [
    `+${formatDuration(startMs)}`,
    ...(durationMs === null ? ['no end recorded'] : isOnly ? [] : [formatDuration(durationMs)]),
    ...(rows === null ? [] : [countOf(rows, 'row')]),
  ]
  return facts.join(' · ')
}

function errorOf({ error }: DatabaseQuery): SafeHtml | null {
  return error === null ? null : html`<p class="note tone-error">${error}</p>`
}

/** In the order they ran; equal ones in a row share a line. */
function sequence(data: DatabaseData, view: PanelView): SafeHtml {
  let from = 1
  const rows = gathered(data.queries, 2, ({ error }) => error === null, isAlike).map((runs) => {
    const [{ group, callSite, startMs, error }] = runs
    const counts = runs.every((run) => run.rows === null) ? null : runs.reduce((sum, run) => sum + (run.rows ?? 0), 0)
    const isEnded = runs.some(({ durationMs }) => durationMs !== null)
    const number = runs.length === 1 ? String(from) : `${from}–${from + runs.length - 1}`
    from += runs.length
    const query: Inline = {
      profile: view.profile.token,
      panel: name,
      at: queryAnchor(group),
      text: cutText(data.groups[group]?.text ?? '', 160),
    }
    const text: Line = [
      runs.length === 1 ? null : { strong: `${runs.length} ×` },
      query,
      place(callSite),
      error === null ? null : { failure: error },
    ]
    const took = isEnded ? formatDuration(sumOf(runs)) : '–'
    return [number, formatDuration(startMs), took, counts === null ? '' : formatCount(counts), text]
  })
  const heads = [...['#', 'Start', 'Duration', 'Rows'].map((number) => ({ number })), 'Query']
  return drawBlocks([table('Queries in the order they ran', 'query', heads, rows)], 'sequence', view)
}

function isAlike(one: DatabaseQuery, other: DatabaseQuery): boolean {
  return one.group === other.group && one.callSite === other.callSite && other.error === null
}

function sumOf(queries: readonly DatabaseQuery[]): number {
  return sum(queries, ({ durationMs }) => durationMs ?? 0)
}

function slowestOf(queries: readonly DatabaseQuery[]): number {
  return queries.reduce((most, { durationMs }) => Math.max(most, durationMs ?? 0), 0)
}

const openNotes = 5
const namedPlaces = 3

/** A note for each repeated query, N+1 first, then by how many runs it is about. */
function queryFindings({ findings, groups }: DatabaseData, budget: PageBudget, editor?: EditorLink): SafeHtml {
  const notes = [...Map.groupBy(findings, ({ group }) => group)]
    .toSorted(([, one], [, other]) => weight(other) - weight(one))
    .map(([index, repeats]) => note(groups[index], index, repeats, editor))
  for (const one of notes) budget.spend(one)
  const [open, folded] = [notes.slice(0, openNotes), notes.slice(openNotes)]
  const title = `${countOf(folded.length, 'more query', 'more queries')} repeated too often`
  return html`${open} ${folded.length === 0 ? null : fold(title, folded)}`
}

function findingMarks(findings: readonly Repeat[], group: number): readonly string[] {
  const kinds = new Set(findings.filter((finding) => finding.group === group).map(({ kind }) => kind))
  return [...(kinds.has('n+1') ? ['N+1'] : []), ...(kinds.has('duplicate') ? ['duplicates'] : [])]
}

/** An N+1 grows with the data, a duplicate does not: it comes after all of them. */
function weight(repeats: readonly Repeat[]): number {
  return sum(repeats, ({ kind, count }) => count * (kind === 'n+1' ? 1_000_000 : 1))
}

function note(
  group: QueryGroup | undefined,
  index: number,
  repeats: readonly Repeat[],
  editor: EditorLink | undefined,
): SafeHtml {
  // Of the same shape with other values, and of the very same.
  const { 'n+1': nPlusOnes = [], duplicate: duplicates = [] } = Object.groupBy(repeats, ({ kind }) => kind)
  const text = html`<a href="#${queryAnchor(index)}"><code>${cutText(group?.text ?? '', 120)}</code></a>`
  const isBoth = nPlusOnes.length > 0 && duplicates.length > 0
  return html`<div class="note tone-warning finding">
    ${nPlusOnes.length === 0 ? null : nPlusOneLine(nPlusOnes, text, editor)}
    ${duplicates.length === 0 ? null : duplicateLine(duplicates, isBoth ? null : text, editor)}
  </div> `
}

function nPlusOneLine(repeats: readonly Repeat[], text: SafeHtml, editor: EditorLink | undefined): SafeHtml {
  const count = sum(repeats, (one) => one.count)
  return html`<p>
    <b>N+1:</b> ${text} ran ${count} times ${places(repeats, editor)} with different values (${timeOf(repeats)}).
    ${remedy(repeats)}
  </p>`
}

/** What a resolver sends can only be gathered by what is below it. */
function remedy(repeats: readonly Repeat[]): SafeHtml {
  const fields = [...new Set(repeats.flatMap(({ field }) => field ?? []))]
  if (fields.length === 0) return html`Load them with one query.`
  return html`Each call of the resolver
    ${fields.map((field, index) => html`${index === 0 ? '' : ', '}<code>${field}</code>`)} sent one. Gather the keys of
    all calls, with <code>dataloader</code> for example, and load them with one query.`
}

/** `text` is `null` below a line that has it. */
function duplicateLine(repeats: readonly Repeat[], text: SafeHtml | null, editor: EditorLink | undefined): SafeHtml {
  const count = sum(repeats, (one) => one.count)
  const values = repeats.length === 1 ? 'the same values' : `only ${repeats.length} different sets of values`
  return html`<p>
    <b>Duplicates:</b> ${text ?? 'it'} ran ${count} times with ${values}, ${places(repeats, editor)}
    (${timeOf(repeats)}). ${countOf(count - repeats.length, 'exact repeat')}.
  </p>`
}

/** Where they come from, the place with the most first: `from src/a.ts:12 (40 ×) and src/b.ts:9 (3 ×)`. */
function places(repeats: readonly Pick<Repeat, 'callSite' | 'count'>[], editor: EditorLink | undefined): SafeHtml {
  const counts = new Map<string, number>()
  let elsewhere = 0
  for (const { callSite, count } of repeats) {
    if (callSite === null) elsewhere += count
    else counts.set(callSite, (counts.get(callSite) ?? 0) + count)
  }
  const known = [...counts].toSorted((one, other) => other[1] - one[1])
  const named = known.slice(0, namedPlaces)
  elsewhere += sum(known.slice(namedPlaces), ([, count]) => count)
  if (named.length === 0) return html`from several or unknown places`
  const isOne = named.length === 1 && elsewhere === 0
  return html`from
  ${named.map(([site, count], index) => html`${index === 0 ? '' : ', '}${placeLink(site, editor)}${isOne ? null : ` (${count} ×)`}`)}${elsewhere === 0 ? null : ` and elsewhere (${elsewhere} ×)`}`
}

function timeOf(repeats: readonly Repeat[]): string {
  return `${formatDuration(sum(repeats, ({ totalMs }) => totalMs))} total`
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
