// Draws the templates that were rendered, those inside of others below them.

import { columnHead, dataTable, emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { TemplatesData } from '../../collectors/templates.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'
import { figureRow } from './figures.ts'

const listBytes = 600_000
/** Deeper ones are drawn no deeper. */
const maxDepth = 8

type Template = TemplatesData['entries'][number]

export const templatesPanel: Panel<TemplatesData> = {
  name: 'templates',
  title: 'Templates',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const failed = entries.filter(({ error }) => error !== null).length
    const hint = countOf(entries.length + dropped, 'rendered template')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} failed of ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { editor }) => {
    if (data === undefined) {
      return emptyState(
        'No template was rendered. What res.render() of Express renders is captured as it is; hand eta, ejs, nunjucks or handlebars over with observe().',
      )
    }
    const { entries, dropped } = data
    const placed = placeTemplates(entries)
    const totalMs = placed.reduce((sum, { depth, totalMs: ms }) => sum + (depth === 0 ? ms : 0), 0)
    const names = new Set(entries.map((entry) => nameOf(entry)))
    const budget = new PageBudget(listBytes)
    return html`${keptMark(entries.length, dropped, 'templates')}
    ${figureRow([
      [String(entries.length + dropped), 'Rendered'],
      [String(names.size), 'Distinct'],
      [formatDuration(totalMs), 'Total time'],
    ])}
    ${table(placed, budget, editor)}
    ${placed.some(({ depth }) => depth > 0) ? html`<p class="muted small">Indented templates were rendered by the template above. “Own” is the time without them.</p>` : null}`
  },
}

interface Placed {
  readonly template: Template
  readonly depth: number
  /** Renderings of the same template in a row share a line. */
  count: number
  totalMs: number
  ownMs: number
}

/** A template is inside of another if it began and ended while that was being rendered. */
function placeTemplates(entries: readonly Template[]): readonly Placed[] {
  const placed: Placed[] = []
  const around: { readonly endMs: number; readonly row: Placed }[] = []
  for (const template of entries) {
    const { startMs } = template
    const totalMs = template.durationMs ?? 0
    while ((around.at(-1)?.endMs ?? Number.POSITIVE_INFINITY) <= startMs) around.pop()
    const parent = around.at(-1)?.row
    if (parent !== undefined) parent.ownMs -= totalMs
    const last = placed.at(-1)
    const isRepeated =
      last?.depth === around.length && nameOf(last.template) === nameOf(template) && template.error === null
    const row = isRepeated ? last : { template, depth: around.length, count: 0, totalMs: 0, ownMs: 0 }
    if (!isRepeated) placed.push(row)
    row.count += 1
    row.totalMs += totalMs
    row.ownMs += totalMs
    around.push({ endMs: startMs + totalMs, row })
  }
  return placed
}

function nameOf({ engine, name, text }: Template): string {
  return `${engine} ${name ?? text ?? ''}`
}

function table(placed: readonly Placed[], budget: PageBudget, editor: EditorLink | undefined): SafeHtml {
  const row = ({ template, depth, count, totalMs, ownMs }: Placed): SafeHtml => {
    const { engine, name, text, startMs, durationMs, callSite, error } = template
    return budget.spend(
      html`<tr>
        <th scope="row">
          <div class="depth-${Math.min(depth, maxDepth)}">
            ${count === 1 ? null : html`<b>${count} ×</b> `}${name === null ? html`<code class="muted">${text ?? 'without a name'}</code>` : html`<code>${name}</code>`}
            <span class="muted small"
              >${engine}${callSite === null ? null : html` · ${placeLink(callSite, editor)}`}</span
            >
            ${error === null ? null : html`<p class="note tone-error">${error}</p>`}
          </div>
        </th>
        <td class="number">${formatDuration(startMs)}</td>
        <td class="number">${durationMs === null ? 'not ended' : formatDuration(totalMs)}</td>
        <td class="number">${durationMs === null ? '–' : formatDuration(Math.max(0, ownMs))}</td>
      </tr> `,
    )
  }
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="4">${countOf(missing, 'more row')} not shown.</td>
    </tr>`
  const numbers = ['Start', 'Time', 'Own'].map((title) => columnHead(title, 'number'))
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Templates">
    ${dataTable('templates', 'Templates in the order they began', ['Template', ...numbers], budget.list(placed, row, { rest }))}
  </div>`
}

export const templateStyles: SafeHtml = styleSheet(`
.templates th { font-weight: 400 }
${Array.from({ length: maxDepth }, (_, depth) => `.templates .depth-${depth + 1} { padding-left: ${(depth + 1) * 1.1}rem }`).join('\n')}
`)
