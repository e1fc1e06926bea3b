// Draws what the application's own code dumped: each value under the place it came from.

import { emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import type { Dump, DumpData } from '../../collectors/dump.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'
import { plainTree, valueView } from './value-view.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'

const dumpBytes = 600_000

export const dumpPanel: Panel<DumpData> = {
  name: 'dump',
  title: 'Dumps',
  badge: ({ dumps, dropped }) => ({
    count: dumps.length + dropped,
    tone: 'neutral',
    hint: countOf(dumps.length + dropped, 'dump'),
  }),
  render: (data, { editor }) => {
    if (data === undefined) return emptyState('Nothing was dumped. dump(value) shows a value here, with file and line.')
    const { dumps, dropped } = data
    const budget = new PageBudget(dumpBytes)
    return html`${keptMark(dumps.length, dropped, 'dumps')}
    ${budget.list(dumps, (dump) => budget.spend(dumpCard(dump, editor)), {
      rest: (missing) => cutMark(`${countOf(missing, 'more dump')} not shown.`),
    })}`
  },
}

function dumpCard({ label, value, tree, functionName, place, timeMs }: Dump, editor: EditorLink | undefined): SafeHtml {
  return html`<article class="card dump">
    <header class="row">
      <h3>${label ?? functionName ?? 'Dump'}</h3>
      ${place === null ? html`<code>unknown location</code>` : placeLink(place, editor)}
      <span class="muted small">after ${formatDuration(timeMs)}</span>
    </header>
    <div class="value" tabindex="0" role="group" aria-label="Value">${valueView(tree ?? plainTree(value))}</div>
  </article> `
}
