// Draws blocks as HTML.

import { cutMark, countOf, PageBudget } from '../../errors/page/page-budget.ts'
import { placeLink } from '../../errors/page/editor-link.ts'
import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  fold,
  formatTime,
  keyValueTable,
  note,
} from '../../framework/html/components.ts'
import { html, type HtmlValue, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import type { DumpedValue } from '../../framework/redact/redactor.ts'
import type { Blocks, Block, Card, Inline, Line, Table } from '../blocks/blocks.ts'
import { isoTime } from '../query/profile-facts.ts'
import { callBar } from './panels/call-bar.ts'
import { plainTree, valueView } from './panels/value-view.ts'
import type { PanelView } from './panel.ts'

const maxBytes = 600_000
/** Deeper rows are drawn no deeper. */
const maxDepth = 8

/** `noun`: what one card is about. */
export function drawBlocks(blocks: Blocks, noun: string, view: PanelView): SafeHtml {
  const budget = new PageBudget(maxBytes)
  const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, `more ${noun}`)} not shown.`)
  const cards = blocks.filter((block) => block?.kind === 'card')
  const [first] = cards
  return html`${blocks.map((block) => {
    if (block?.kind !== 'card') return drawBlock(block, view, budget)
    return block === first ? budget.list(cards, (card) => drawCard(card, view, budget), { rest }) : null
  })}`
}

function drawBlock(block: Block | null, view: PanelView, budget: PageBudget): SafeHtml | null {
  switch (block?.kind) {
    case undefined:
      return null
    case 'heading':
      return html`<h3>${block.text}</h3>`
    case 'empty':
      return emptyState(block.text)
    case 'list':
      return html`<ul>
        ${block.items.map((item) => html`<li>${drawLine(item, view)}</li> `)}
      </ul>`
    case 'text':
      return html`<p class="muted small">${drawLine(block.text, view)}</p>`
    case 'note':
      return note(drawLine(block.text, view), block.tone)
    case 'figures':
      return figureRow(block.rows)
    case 'facts':
      return keyValueTable(
        block.rows.map(([name, value]) => [typeof name === 'string' ? name : name.recorded, drawLine(value, view)]),
        { caption: block.name },
      )
    case 'table':
      return drawTable(block, view, budget)
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
      if (view.values === undefined) return drawBlock(block.source, view, budget)
      const address = belowProfile(view, block.path)
      return html`<iframe class="page-frame" sandbox="" loading="lazy" title="${block.title}" src="${address}"></iframe>
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
function drawLine(line: Line, view: PanelView): SafeHtml {
  const parts: readonly Inline[] = Array.isArray(line) ? (line as readonly Inline[]) : [line as Inline]
  return html`${parts.filter((part) => part != null).map((part, index) => html`${index === 0 ? '' : ' '}${drawInline(part, view)}`)}`
}

function drawInline(part: NonNullable<Inline>, view: PanelView): HtmlValue {
  if (typeof part === 'string') return part
  if ('recorded' in part) return part.recorded
  if ('code' in part) return html`<code>${part.code}</code>`
  if ('strong' in part) return html`<b>${part.strong}</b>`
  if ('place' in part) return placeLink(part.place, view.editor)
  if ('mark' in part) return badge(part.mark, part.tone)
  if ('failure' in part) return note(part.failure, 'error')
  if ('warning' in part) return note(part.warning)
  if ('value' in part) return drawValue('Value', part.value)
  if ('time' in part) return html`<time datetime="${isoTime(part.time)}">${formatTime(part.time)}</time> UTC`
  if ('quiet' in part) return html`<span class="muted small">${drawLine(part.quiet, view)}</span>`
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
  const { profile, panel, text } = part
  if (profile === view.profile.token && panel === undefined) return html`<b class="mono">${profile}</b>`
  return html`<a class="${text === undefined ? 'mono' : ''}" href="${view.linkTo(profile, panel)}"
    >${text ?? profile}</a
  >`
}

function drawTable({ name, noun, heads, rows }: Table, view: PanelView, budget: PageBudget): SafeHtml {
  const row = ({ cells, depth = 0 }: Table['rows'][number]): SafeHtml =>
    budget.spend(
      html`<tr>
        ${cells.map((cell, index) => {
          const head = heads[index] ?? ''
          if (typeof head !== 'string')
            return html`<td class="number nowrap" data-label="${head.number}">${drawLine(cell, view)}</td> `
          return html`<td>
            ${index === 0 && depth > 0 ? html`<div class="depth-${Math.min(depth, maxDepth)}">${drawLine(cell, view)}</div>` : drawLine(cell, view)}
          </td> `
        })}
      </tr> `,
    )
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="${heads.length}">${countOf(missing, `more ${noun}`)} not shown.</td>
    </tr>`
  const titles = heads.map((head) => (typeof head === 'string' ? head : columnHead(head.number, 'number')))
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${name}">
    ${dataTable('blocks', name, titles, budget.list(rows, row, { rest }))}
  </div>`
}

function drawCard({ head, name, time, times, facts, blocks }: Card, view: PanelView, budget: PageBudget): SafeHtml {
  const known = facts.filter((fact) => fact !== null && fact !== '')
  const top = html`<h3 class="outgoing-head">
      ${drawLine(head, view)} <span class="url">${drawLine(name, view)}</span>
      ${time === null ? null : html`<span class="outgoing-time">${time}</span>`}
    </h3>
    ${times === undefined ? null : callBar(times, view.profile.durationMs)}
    <p class="muted small">${known.map((fact, index) => html`${index === 0 ? '' : ' · '}${drawLine(fact, view)}`)}</p>`
  return html`<article class="card outgoing-call">
    ${budget.spend(top)} ${blocks.map((block) => counted(block, view, budget))}
  </article> `
}

/** Tables count their rows themselves. */
function counted(block: Block | null, view: PanelView, budget: PageBudget): SafeHtml | null {
  const drawn = drawBlock(block, view, budget)
  return drawn === null || block?.kind === 'table' ? drawn : budget.spend(drawn)
}

export const blockStyles: SafeHtml = styleSheet(`
.blocks td { overflow-wrap: anywhere }
.blocks td:not(.number) { min-width: 6rem }
.blocks code { white-space: pre-wrap }
${Array.from({ length: maxDepth }, (_, depth) => `.blocks .depth-${depth + 1} { padding-left: ${(depth + 1) * 1.1}rem }`).join('\n')}
.page-frame { display: block; width: 100%; height: 24rem; resize: vertical; border: 1px solid var(--line); background: #fff; color-scheme: light }
.source-text { max-height: 24lh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
@media (max-width: 40rem) {
  .blocks thead { display: none }
  .blocks, .blocks tbody { display: block }
  .blocks tr { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  .blocks tbody tr:first-child { border-top: 0 }
  .blocks tr > * { border: 0 !important; padding: 0 !important; text-align: start !important; min-width: 0 }
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
export function belowProfile({ profile, linkTo }: Pick<PanelView, 'profile' | 'linkTo'>, path: string): string {
  const [address = ''] = linkTo(profile.token).split('?')
  return `${address}/${path}`
}
