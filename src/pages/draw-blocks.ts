// Draws blocks as HTML.

import { runsOf } from '../base/members.ts'
import { cutMark, countOf, PageBudget } from '../base/html/page-budget.ts'
import { lineMarkup } from '../errors/page/source-list.ts'
import { placeLink } from '../http/config/editor-link.ts'
import {
  badge,
  columnHead,
  sortHead,
  dataTable,
  emptyState,
  fold,
  formatTime,
  keyValueTable,
  note,
  prose,
  isoTime,
} from '../base/html/components.ts'
import { html, type HtmlValue, SafeHtml, styleSheet } from '../base/html/html.ts'
import type { DumpedValue } from '../base/redact/redactor.ts'
import type {
  Blocks,
  Block,
  Card,
  CodeLine,
  CodeLines,
  Explanation,
  Head,
  Inline,
  Lane,
  Line,
  PageLink,
  Table,
} from '../observe/blocks/blocks.ts'
import { lowered, partsOf } from '../observe/blocks/sections.ts'
import type { Profile } from '../observe/profile.ts'
import { shortened } from '../profiles/profile-facts.ts'
import { bar, callBar, strip } from './panels/call-bar.ts'
import { sqlLine } from './panels/sql-text.ts'
import { plainTree, valueView } from './panels/value-view.ts'
import type { PanelView } from './panel.ts'

const maxBytes = 600_000
/** Deeper rows are drawn no deeper. */
const maxDepth = 8

/** A page, or a panel with its profile. */
export interface BlockView extends Pick<PanelView, 'linkTo' | 'editor' | 'values' | 'explains'> {
  readonly profile?: Profile
  /** What one card is about. */
  readonly noun?: string
  /** Name of the panel. Default: it is not one. */
  readonly panel?: string
  /** Address of another page, or of this one in another order. Default: there are no other pages, as in an exported file. */
  readonly pageTo?: (link: Pick<PageLink, 'page' | 'with'>) => string
  readonly sortTo?: (sort: string) => string
}

/** `noun`: what one card is about. */
export function drawBlocks(blocks: Blocks, noun: string, view: BlockView): SafeHtml {
  return drawEach(blocks, { ...view, noun }, new PageBudget(maxBytes))
}

function drawEach(blocks: Blocks, view: BlockView, budget: PageBudget): SafeHtml {
  const cards = blocks.filter((block) => block?.kind === 'card')
  const [first] = cards
  return html`${blocks.map((block) => {
    if (block?.kind !== 'card') return counted(block, view, budget)
    return block === first ? drawCards(cards, view, budget) : null
  })}`
}

/** Bytes of cards, and of lines, where an address can ask for the others. */
const cardBytes = 10_000

/** Cards until the bytes are spent, from that on which the address asks for, and lines that lead to the others. */
function drawCards(cards: readonly Card[], view: BlockView, budget: PageBudget): SafeHtml {
  const { values, noun, profile, linkTo } = view
  const asked = values?.get('from')
  if (asked === undefined || profile === undefined) {
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, `more ${noun}`)} not shown.`)
    return html`${budget.list(cards, (card) => drawCard(card, view, budget), { rest })}`
  }
  const from = Math.min(Number(/^\d+/.exec(asked)?.[0] ?? 0), cards.length - 1)
  const own = new PageBudget(cardBytes)
  const full: SafeHtml[] = []
  for (const card of cards.slice(from)) if (!own.isSpent) full.push(own.spend(drawCard(card, view, budget)))
  const [query] = /\?.*/.exec(linkTo(profile.token, view.panel)) ?? ['?']
  const others = cards.flatMap((card, index) =>
    index >= from && index < from + full.length ? [] : [{ ...card, address: `${query}&from=${index}` }],
  )
  if (others.length === 0) return html`${full}`
  const left = new PageBudget(cardBytes)
  const line = ({ head, name, time, address }: (typeof others)[number]): SafeHtml =>
    left.spend(
      html`<li>
        ${drawLine(head, view)} <a href="${address}">${drawLine(name, view)}</a>
        <span class="outgoing-time">${time}</span>
      </li> `,
    )
  const rest = (missing: number): SafeHtml =>
    html`<li><a href="${others.at(-missing)?.address}">${countOf(missing, `more ${noun}`)}</a></li>`
  return html`${full}
    <h3>${countOf(others.length, `more ${noun}`)}</h3>
    <ol class="card other-cards">
      ${left.list(others, line, { rest })}
    </ol>`
}

function drawBlock(block: Block | null, view: BlockView, budget: PageBudget): SafeHtml | null {
  switch (block?.kind) {
    case undefined:
      return null
    case 'heading':
      return view.profile === undefined ? html`<h2>${block.text}</h2>` : html`<h3>${block.text}</h3>`
    case 'columns':
      return html`<div class="block-columns">
        ${block.parts.map((part) => html`<section>${part.map((one) => drawBlock(one, view, budget))}</section> `)}
      </div>`
    case 'empty':
      return emptyState(block.text)
    case 'list':
      return html`<ul>
        ${block.items.map((item) => html`<li>${drawLine(item, view)}</li> `)}
      </ul>`
    case 'text':
      return html`<p class="muted small">${drawLine(block.text, view)}</p>`
    case 'note':
      return note(isRecorded(block.text) ? prose(block.text.recorded) : drawLine(block.text, view), block.tone)
    case 'figures':
      return figureRow(block.rows)
    case 'facts':
      return keyValueTable(
        block.rows
          .filter(([, value]) => partsOf(value).some(isOnPage))
          .map(([name, value]) => [drawLine(name, view), drawLine(value, view)]),
        { caption: block.name, isProse: block.isProse === true },
      )
    case 'table':
      return drawTable(block, view, budget)
    case 'lines':
      return budget.spend(codeLines(block, view))
    case 'card':
      return drawCard(block, view, budget)
    case 'source':
      return fold(
        block.title,
        html`<pre class="block mono source-text" tabindex="0" aria-label="${block.title}">${block.text}</pre>
          ${block.isCut === true ? cutMark('The rest was not kept.') : null}`,
        { isOpen: block.isOpen ?? false },
      )
    case 'value':
      return block.title === null
        ? drawValue('Value', block.value)
        : fold(block.title, drawValue(block.title, block.value), { isOpen: block.isOpen ?? false })
    case 'fold':
      return fold(block.title, drawBlock(block.block, view, budget))
    case 'frame': {
      // The page is there while the profiler runs.
      if (view.values === undefined || view.profile === undefined) return drawBlock(block.source, view, budget)
      const address = belowProfile(view.profile.token, view, block.path)
      const isShort = block.source?.kind === 'source' && block.source.text.length < 400
      return html`<iframe
          class="page-frame ${isShort && 'is-short'}"
          sandbox=""
          loading="lazy"
          title="${block.title}"
          src="${address}"
        ></iframe>
        ${drawBlock(block.source, view, budget)}`
    }
  }
}

function drawValue(name: string, { value, tree }: DumpedValue): SafeHtml {
  return html`<div class="value" tabindex="0" role="group" aria-label="${name}">
    ${valueView(tree ?? plainTree(value))}
  </div>`
}

/** The whole line, not its pieces one by one: no space comes between a piece and nothing. */
function drawLine(line: Line, view: BlockView): SafeHtml {
  return html`${partsOf(line)
    .filter((part) => part != null)
    .map((part, index) => html`${index === 0 || part === '.' ? '' : ' '}${drawInline(part, view)}`)}`
}

/** A sentence of ours with values of the request, between backticks. */
function isRecorded(line: Line): line is { readonly recorded: string } {
  return typeof line === 'object' && line !== null && 'recorded' in line
}

function isOnPage(part: Inline): boolean {
  return typeof part === 'object' ? part !== null && !('detail' in part && part.isOffPage === true) : part !== ''
}

function drawInline(part: NonNullable<Inline>, view: BlockView): HtmlValue {
  if (typeof part === 'string') return part
  if ('recorded' in part) return part.recorded
  if ('code' in part) return html`<code>${part.code}</code>`
  if ('keys' in part) return html`${part.keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}`
  if ('query' in part) return html`<code class="sql">${sqlLine(part.query, part.system)}</code>`
  if ('explains' in part) return explainForm(part, view)
  if ('file' in part)
    return view.values && view.profile
      ? html`<a href="${belowProfile(view.profile.token, view, part.file)}" download>${part.text}</a>`
      : null
  if ('seen' in part) return html`<code class="seen">${part.seen}</code>`
  if ('strong' in part) return html`<b>${part.strong}</b>`
  if ('place' in part) return placeLink(part.place, view.editor)
  if ('mark' in part) return badge(part.mark, part.tone)
  if ('failure' in part) return note(part.failure, 'error')
  if ('warning' in part) return note(part.warning)
  if ('value' in part) return drawValue('Value', part.value)
  if ('time' in part) return html`<time datetime="${isoTime(part.time)}">${formatTime(part.time)}</time> UTC`
  if ('quiet' in part) return html`<span class="muted small">${drawLine(part.quiet, view)}</span>`
  if ('detail' in part) {
    if (!isOnPage(part)) return null
    const name = part.isNamed ? `${part.name} ` : ''
    return html`<div class="detail" dir="auto">${name}${drawLine(part.detail, view)}</div>`
  }
  if ('page' in part)
    return view.pageTo === undefined ? part.text : html`<a href="${view.pageTo(part)}">${part.text}</a>`
  if ('bar' in part) return bar(part.bar)
  if ('strip' in part) return strip(part.strip)
  if ('lane' in part) return lane(part)
  if ('fold' in part) {
    return fold(
      part.fold,
      html`<ul>
        ${part.items.map((item) => html`<li>${drawLine(item, view)}</li> `)}
      </ul>`,
    )
  }
  if ('linked' in part) {
    return part.to === null
      ? html`<code>${part.linked}</code>`
      : html`<a class="mono" href="${part.to}" rel="noreferrer">${part.linked}</a>`
  }
  if ('trace' in part) {
    // An exported page has no list to link to.
    const list = view.linkTo('')
    return list.startsWith('#') ? part.trace : html`<a href="${list}?trace=${part.trace}">${part.trace}</a>`
  }
  const { profile, panel, at, subject, text = subject } = part
  if (profile === view.profile?.token && panel === undefined) return html`<b>${text ?? profile}</b>`
  return html`<a
    class="${text === undefined && 'mono nowrap'}"
    href="${view.linkTo(profile, panel)}${at === undefined ? '' : `#${at}`}"
    >${text ?? profile}</a
  >`
}

/** Nothing where nobody can ask for the plan. */
export function explainForm({ explains: query, token, index }: Explanation, view: BlockView): SafeHtml | null {
  if (view.explains?.(query) !== true) return null
  return html`<form class="screen-only" method="post" action="${belowProfile(token, view, `explain/${index}`)}">
    <button class="button" aria-label="Explain ${shortened(query.text, 40)}">Explain</button>
  </form>`
}

function drawTable({ name, noun, heads, rows, isWide = false }: Table, view: BlockView, budget: PageBudget): SafeHtml {
  const cell = (line: Line, index: number, depth: number): SafeHtml => {
    const said = line === null && isWide ? html`<span class="muted">none</span>` : drawLine(line, view)
    const head = heads[index] ?? ''
    if (isWide) {
      if (index === 0) return html`<th scope="row" class="name">${indented(said, depth)}</th> `
      const [label, side] = typeof head === 'string' ? [head, null] : [head.number, 'number']
      return html`<td class="${side}" data-label="${lowered(label)}">${said}</td> `
    }
    if (typeof head !== 'string') return html`<td class="number nowrap" data-label="${head.number}">${said}</td> `
    return html`<td>${index === 0 ? indented(said, depth) : said}</td> `
  }
  const row = ({ cells, depth = 0, tone }: Table['rows'][number]): SafeHtml =>
    budget.spend(
      html`<tr class="${tone !== undefined && `tone-${tone}`}">
        ${cells.map((line, index) => cell(line, index, depth))}
      </tr> `,
    )
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="${heads.length}">${countOf(missing, `more ${noun}`)} not shown.</td>
    </tr>`
  const titles = heads.map((head) => headOf(head, view))
  const list = budget.list(rows, row, { rest })
  if (isWide) return dataTable(`stacked ${widthOf(heads)}`, name, titles, list)
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${name}">
    ${dataTable('blocks', name, titles, list)}
  </div>`
}

/** As the source of an error page is drawn, in a list for each run of lines; one that says something has its code on the left. */
function codeLines({ rows }: CodeLines, view: BlockView): SafeHtml {
  const indents = rows.filter(({ code }) => code.trim() !== '').map(({ code }) => code.search(/\S/))
  const indent = Math.min(...indents)
  const runs = runsOf(rows, (one, other) => one.line === other.line - 1)
  const item = ({ code, tokens, isSkipped, isMarked, said }: CodeLine): SafeHtml => {
    const beside = isSkipped ? 'did not run' : said.some(isOnPage) ? drawLine(said, view) : null
    const written = tokens === undefined ? code.slice(indent) : new SafeHtml(lineMarkup(tokens, indent))
    const content = beside === null ? written : html`<code>${written}</code> <span>${beside}</span>`
    return html`<li class="${isSkipped ? 'skipped' : isMarked === true && 'at'}">${content}</li>`
  }
  return html`${runs.map(
    (run) =>
      html`<ol class="source ran" start="${run[0].line}">
        ${run.map(item)}
      </ol>`,
  )}`
}

function indented(said: SafeHtml, depth: number): SafeHtml {
  return depth > 0 ? html`<div class="depth-${Math.min(depth, maxDepth)}">${said}</div>` : said
}

function headOf(head: Head, { sortTo }: BlockView): SafeHtml | string {
  if (typeof head === 'string') return head
  if (!('sort' in head) || sortTo === undefined) return columnHead(head.number, 'number')
  return sortHead(head.number, sortTo(head.sort), { isCurrent: head.isSorted, hint: head.hint })
}

const seriesCount = 8

function lane({ lane: pieces, series }: Lane): SafeHtml {
  const rects = pieces.map(([from, to]) => {
    const left = Math.min(Math.max(from, 0), 0.995)
    return html`<rect
      x="${(left * 100).toFixed(2)}"
      width="${Math.max(0.5, (Math.min(to, 1) - left) * 100).toFixed(2)}"
      height="8"
    />`
  })
  return html`<svg
    class="lane-bar series-${Math.max(series, 0) % seriesCount}"
    viewBox="0 0 100 8"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    ${rects}
  </svg>`
}

function drawCard(
  { head, name, time, times, facts, blocks, isOpen }: Card,
  view: BlockView,
  budget: PageBudget,
): SafeHtml {
  const known = facts.filter((fact) => partsOf(fact).some(isOnPage))
  const said = known.map((fact, index) => html`${index === 0 ? '' : ' · '}${drawLine(fact, view)}`)
  if (isOpen !== undefined) {
    const title = html`<h3>${drawLine([...partsOf(head), name], view)}</h3>
      <p class="muted small">${said}</p>`
    return html`<details class="tree-card fold" open="${isOpen}">
      <summary>${budget.spend(title)}</summary>
      ${drawEach(blocks, view, budget)}
    </details> `
  }
  const top = html`<h3 class="outgoing-head">
      ${drawLine(head, view)} <span class="url">${drawLine(name, view)}</span>
      ${time === null ? null : html`<span class="outgoing-time">${time}</span>`}
    </h3>
    ${times === undefined ? null : callBar(times, view.profile?.durationMs ?? 0)}
    <p class="muted small">${said}</p>`
  return html`<article class="card outgoing-call">${budget.spend(top)} ${drawEach(blocks, view, budget)}</article> `
}

/** What holds other blocks counts them itself. */
function counted(block: Block | null, view: BlockView, budget: PageBudget): SafeHtml | null {
  const drawn = drawBlock(block, view, budget)
  return drawn === null || /^(?:table|lines|card|columns)$/.test(block?.kind ?? '') ? drawn : budget.spend(drawn)
}

/** From which width on their columns have room; those of numbers do not break, and count twice. */
const widths = { few: '40rem', some: '56rem', many: '70rem' } as const

function widthOf(heads: Table['heads']): keyof typeof widths {
  const size = heads.length + heads.filter((head) => typeof head !== 'string').length
  return size <= 5 ? 'few' : size <= 7 ? 'some' : 'many'
}

/** For tables whose first cell names the row. */
export const wideStyles: SafeHtml = html`${Object.entries(widths).map(([name, width]) => columnStyles(name, width))}
${styleSheet(`
.block-columns { columns: 24rem; gap: var(--space-8); margin: var(--space-6) 0 }
.block-columns > section { break-inside: avoid; padding-bottom: var(--space-6) }
.block-columns h2 { margin-top: 0 }
.block-columns p { margin-top: var(--space-2) }
.block-columns .facts th { font-weight: 400; width: 42% }
.block-columns .facts.prose th { width: 34% }
.stacked .name > a, .stacked .name > div > a { font-family: var(--mono) }
.stacked .detail { color: var(--muted); font: var(--size-small)/1.5 var(--font) }
.sql { overflow-wrap: anywhere }
.sql b { font-weight: 400; color: var(--code-kwd) }
@media (min-width: 70.01rem) { .many td:has(> [data-place], > a > code) { white-space: nowrap } }
.stacked .name form { display: inline }
.stacked .name .button { min-height: 1.5rem; padding: 0 var(--space-2); font-size: var(--size-tiny) }
.stacked thead a { color: inherit; text-decoration: none }
.stacked thead :is(a:hover, [aria-sort] a) { text-decoration: underline }
.stacked .duration-bar .whole { opacity: .45 }
.stacked tbody :is(th, td) { padding-block: var(--space-1); unicode-bidi: plaintext }
.strip { float: left; width: 6rem; height: .9rem; margin: .2rem var(--space-3) 0 0; border-bottom: 1px solid var(--line-strong) }
.strip path { stroke: var(--tone-edge); stroke-width: .7 }
.stacked .number a { display: inline-block; min-width: 1.5rem; line-height: 1.5rem }
.stacked .number .detail { line-height: 1.5rem }
@media (max-width: ${widths.some}) { .stacked.some td .detail { display: inline } }
@media (max-width: ${widths.many}) {
  .stacked.many:has(thead a) thead { display: block }
  .many thead th:first-child, .many .duration-bar { display: none }
  .many .strip { float: none; margin: 0 0 0 var(--space-2); vertical-align: middle }
}
`)}`

/** On windows narrower than `width` a row is a block, with the titles in front of its cells. */
function columnStyles(className: string, width: string): SafeHtml {
  const table = `.stacked.${className}`
  return styleSheet(`
${table} tbody :is(th, td) { font-size: var(--size-small); overflow-wrap: anywhere }
${table} .name { font-weight: 400 }
@media (max-width: ${width}) {
  ${table} thead { display: none }
  ${table}, ${table} tbody { display: block }
  ${table} tr { display: block; padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  ${table} tbody tr:first-child { border-top: 0 }
  ${table} tr[class*=tone-]:not(.tone-neutral) { box-shadow: inset 3px 0 var(--tone-edge) }
  ${table} tr > * { display: inline-block; vertical-align: top; border: 0 !important; padding: 0 var(--space-3) 0 0; box-shadow: none !important; text-align: left !important; white-space: normal }
  ${table} .name { display: block }
  ${table} td:empty { display: none }
  ${table} td::before { content: attr(data-label) ' '; color: var(--muted) }
  ${table} td:has(> .lane-bar) { display: block; width: auto; padding: var(--space-1) 0 }
  ${table} td:has(> .lane-bar)::before { content: none }
}
`)
}

export const blockStyles: SafeHtml = styleSheet(`
.other-cards { margin-top: var(--space-2); padding: var(--space-2) var(--space-4); font-size: var(--size-small) }
.other-cards li { display: flex; gap: var(--space-2); align-items: baseline; padding: .15rem 0 }
.other-cards a { min-width: 0; overflow-wrap: anywhere }
.lane-bar { display: block; width: 100%; min-width: 8rem; height: .6rem; background: var(--raised) }
.lane-bar rect { fill: var(--bar) }
td:has(> .lane-bar) { width: 40%; vertical-align: middle }
.series-0 { --bar: light-dark(#2f6fd0, #5b9bf3) } .series-1 { --bar: light-dark(#b8502a, #e0794f) }
.series-2 { --bar: light-dark(#23834f, #41b375) } .series-3 { --bar: light-dark(#8f45b0, #bd7edb) }
.series-4 { --bar: light-dark(#a4760a, #d9a62e) } .series-5 { --bar: light-dark(#157f88, #3fb6c0) }
.series-6 { --bar: light-dark(#b03a6a, #e583ab) } .series-7 { --bar: light-dark(#6b7a90, #8593a8) }
.blocks td { overflow-wrap: anywhere; padding-block: var(--space-1) }
.blocks td:not(.number) { min-width: 6rem }
.blocks .number { width: 6rem }
.blocks code { white-space: pre-wrap }
@media (min-width: 70.01rem) { .blocks :is([data-place], td > a > code, td:has(> [data-place]:first-child)) { white-space: nowrap } }
${Array.from({ length: maxDepth }, (_, depth) => `:is(.blocks, .stacked) .depth-${depth + 1} { padding-left: ${(depth + 1) * 1.1}rem }`).join('\n')}
.seen[role=button] { cursor: pointer; text-decoration: underline dotted; text-underline-offset: 3px }
.seen[aria-pressed=true] { background: var(--mark); box-shadow: inset 0 -2px var(--mark-edge) }
.tree-card { padding: 0 0 0 clamp(var(--space-1), 1vw, var(--space-3)); border-left: 1px solid var(--line-strong) }
details.tree-card > summary { display: block; padding: var(--space-1) 0; line-height: 1.5rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }
.tree-card > summary :is(h3, p) { display: inline; margin: 0 }
.tree-card[open] { margin-bottom: var(--space-2) }
.tree-card .tree-card { margin-left: var(--space-1) }
.tree-card > p { margin: 0 0 var(--space-1) }
.tree-card[open] > summary { white-space: normal; overflow-wrap: anywhere }
.tree-card[open]:has(> p) > summary > p { display: none }
.ran { border: 1px solid var(--line); border-radius: var(--radius) }
.ran + .ran { margin-top: -1px; border-top-style: dashed }
.ran + table { margin-top: var(--space-4) }
.ran li > :is(code, span) { display: inline-block; vertical-align: top; width: 50%; padding-right: var(--space-3); font-size: inherit }
.ran li > span { width: calc(50% - 1ch); white-space: normal; font-family: var(--font) }
.ran .skipped { color: var(--muted) }
.page-frame { display: block; width: 100%; height: 24rem; resize: vertical; border: 1px solid var(--line); background: #fff; color-scheme: light }
.page-frame.is-short { height: 10rem }
.source-text { max-height: 24lh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
@media (max-width: 40rem) {
  .ran li > :is(code, span) { width: 100% }
  .ran li > span { padding-left: var(--space-4) }
  .seen:not(:hover, :focus, [aria-pressed=true]) { display: -webkit-inline-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; vertical-align: top }
  .blocks thead { display: none }
  .blocks, .blocks tbody { display: block }
  .blocks tr { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  .blocks tbody tr:first-child { border-top: 0 }
  .blocks tr > * { border: 0 !important; padding: 0 !important; text-align: start !important; min-width: 0 }
  .blocks td:has(> .lane-bar) { order: 1; flex: 1 0 100% }
  .blocks [data-label]::before { content: attr(data-label) ' '; color: var(--muted); font-size: var(--size-small) }
}
`)

/** The numbers at the head of a panel. */
export function figureRow(figures: readonly (readonly [value: string, label: string])[]): SafeHtml {
  return html`<div class="figures">
    ${figures.map(([value, label]) => html`<div class="card figure"><b>${value}</b><span>${label}</span></div> `)}
  </div>`
}

/** An address below a profile: `/_profiler/<token>/explain/0`. The link to a profile may go on with the list that the reader came from. */
export function belowProfile(token: string, { linkTo }: Pick<PanelView, 'linkTo'>, path: string): string {
  const [address = ''] = linkTo(token).split('?')
  return `${address}/${path}`
}
