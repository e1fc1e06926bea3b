// Draws which functions allocated memory while the request ran; where that was not sampled, says how to have it.

import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import type { EditorLink } from '../../../errors/page/editor-link.ts'
import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatBytes,
  formatDuration,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { AllocatingFunctionData, MemoryData } from '../../collectors/memory.ts'
import type { Panel } from '../panel.ts'
import { functionLink } from './function-table.ts'
import { measureAgain } from './measure-again.ts'
import { processMemoryOf } from './process-memory.ts'

const tableBytes = 300_000
const maxFunctions = 60

export const memoryPanel: Panel<MemoryData> = {
  name: 'memory',
  title: 'Memory',
  of: 'requests',
  render: (data, { profile, editor }) =>
    html`${processMemoryOf(profile)}
      <h3>Allocations</h3>
      ${data === undefined ? emptyState('Allocations were not sampled. Record them by replaying this request.') : allocations(data, editor)}
      ${measureAgain(profile, 'memory', 'Replay with allocation sampling')}`,
}

function allocations(data: MemoryData, editor: EditorLink | undefined): SafeHtml {
  const { functions, dropped, totalBytes, isCut, startTookMs, stopTookMs } = data
  if (functions.length === 0) return emptyState('Too little was allocated for a sample.')
  const budget = new PageBudget(tableBytes)
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="4" class="muted">${countOf(missing + dropped, 'more function')} not shown.</td>
    </tr>`
  return html`<p>About ${formatBytes(totalBytes)} allocated by the process during this request (sampled every 8 KB).</p>
    ${isCut ? html`<p class="note tone-warning">Only the first minute of the request was sampled.</p>` : null}
    <div class="table-scroll" tabindex="0" role="region" aria-label="Allocations by function">
      ${dataTable(
        'functions',
        'Functions by the bytes that they allocated',
        [columnHead('Self', 'number'), columnHead('Total', 'number'), 'Function', columnHead('Origin', 'owner')],
        budget.list(functions, (one) => budget.spend(row(one, totalBytes, editor)), { rest, maxItems: maxFunctions }),
      )}
    </div>
    <p class="muted small">
      Sampling blocked the process for ${formatDuration(startTookMs)} before the handler and for
      ${formatDuration(stopTookMs)} after the response.
    </p>`
}

function row(one: AllocatingFunctionData, totalBytes: number, editor: EditorLink | undefined): SafeHtml {
  const share = totalBytes > 0 ? Math.round((one.selfBytes / totalBytes) * 100) : 0
  return html`<tr>
    <td class="number">${formatBytes(one.selfBytes)} <span class="muted small">${share} %</span></td>
    <td class="number">${formatBytes(one.totalBytes)}</td>
    <td class="name">${cutText(one.name, 200)} ${functionLink(one, editor)}</td>
    <td class="owner">
      ${one.origin === 'own' ? badge('your code', 'success') : html`<span class="muted">${one.origin}</span>`}
    </td>
  </tr> `
}
