// Draws which functions allocated memory while the request ran; where that was not sampled, says how to have it.

import * as v from 'valibot'
import type { EditorLink } from '../../http/config/editor-link.ts'
import { PageBudget, countOf } from '../../base/html/page-budget.ts'
import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatBytes,
  formatDuration,
  keyValueTable,
} from '../../base/html/components.ts'
import { type SafeHtml, html } from '../../base/html/html.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { AllocatingFunctionData, MemoryData } from '../../observe/collectors/memory.ts'
import type { MemoryShares } from '../../observe/collectors/time.ts'
import type { GarbagePause } from '../../observe/measuring/request-meter.ts'
import type { Profile } from '../../observe/profile.ts'
import type { Panel } from '../panel.ts'
import { functionLink } from './flame-graph.ts'
import { measureAgain } from './measure-again.ts'

const tableBytes = 300_000
const maxFunctions = 60

export const memoryPanel: Panel<MemoryData> = {
  name: 'memory',
  title: 'Memory',
  of: 'requests',
  showsWithout: (profile) => processMemoryOf(profile) !== null,
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
  return html`<p>
      About ${formatBytes(totalBytes)} allocated by your code and what it called, concurrent requests included (sampled
      every 8 KB).
    </p>
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

function processMemory(memory: MemoryShares, pauses: readonly GarbagePause[]): SafeHtml {
  const { heapBefore, heapAfter, heapLimit, resident } = memory
  const change = heapAfter - heapBefore
  const pausedMs = pauses.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const kinds = [...new Set(pauses.map(({ kind }) => kind))].join(', ')
  const rows = [
    ['Heap before', formatBytes(heapBefore)],
    ['Heap after', `${formatBytes(heapAfter)} (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`],
    ['Heap limit', formatBytes(heapLimit)],
    ['Resident memory', formatBytes(resident)],
    [
      'GC pauses',
      pauses.length === 0
        ? 'none in this request'
        : `${countOf(pauses.length, 'pause')} (${kinds}), ${formatDuration(pausedMs)} total`,
    ],
  ] as const
  return html`${keyValueTable(rows, { caption: 'Memory of the process' })}
    <p class="muted small">
      Memory of the whole process, concurrent requests included. The heap is read at most every 5 ms, resident memory
      once a second.
    </p>`
}

const bytes = v.pipe(v.number(), v.finite())
const timeSchema = v.object({
  memory: v.object({ heapBefore: bytes, heapAfter: bytes, heapLimit: bytes, resident: bytes }),
  garbagePauses: v.optional(
    v.array(
      v.object({
        kind: v.picklist(['minor', 'major', 'incremental', 'weak callbacks']),
        startMs: v.number(),
        durationMs: v.number(),
      }),
    ),
    [],
  ),
})

/** The same of a stored profile, which may hold anything; `null` if it was not measured. */
function processMemoryOf({ data }: Profile): SafeHtml | null {
  const read = v.safeParse(timeSchema, data['time'])
  return read.success ? processMemory(read.output.memory, read.output.garbagePauses) : null
}
