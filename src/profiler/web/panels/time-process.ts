// Draws what the process did while the request ran: memory, pauses for garbage, and what the profiler itself took.

import { formatBytes, formatDuration, keyValueTable } from '../../../framework/html/components.ts'
import { html, type HtmlValue, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import type { ShownTime } from './shown-time.ts'

type Row = readonly [name: string, value: HtmlValue]

/** Two tables; nothing where nothing was measured. */
export function processSection(data: ShownTime): SafeHtml {
  const { memory = null, profilerMs = null } = data
  return html`${
    memory === null
      ? null
      : html`<h3>Memory</h3>
          ${keyValueTable(memoryRows(data, memory), { caption: 'Memory of the process' })}
          <p class="muted small">
            Memory belongs to the whole process: other requests of the same time are in these figures. The heap is read
            every 5 ms at most, resident memory once a second.
          </p>`
  }
  ${
    profilerMs === null
      ? null
      : html`<h3>Cost of the profiler</h3>
          ${keyValueTable(costRows(data, profilerMs), { caption: 'What recording took of this request' })}`
  }`
}

function memoryRows(data: ShownTime, memory: NonNullable<ShownTime['memory']>): readonly Row[] {
  const { heapBefore, heapAfter, heapLimit, resident } = memory
  const change = heapAfter - heapBefore
  const pauses = data.garbagePauses ?? []
  const pausedMs = pauses.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const kinds = [...new Set(pauses.map(({ kind }) => kind))].join(', ')
  return [
    ['Heap before', formatBytes(heapBefore)],
    ['Heap after', `${formatBytes(heapAfter)} (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`],
    ['Limit of the heap', formatBytes(heapLimit)],
    ['Resident memory', formatBytes(resident)],
    [
      'Pauses for garbage',
      pauses.length === 0
        ? 'none in this request'
        : `${countOf(pauses.length, 'pause')} (${kinds}), ${formatDuration(pausedMs)} in all`,
    ],
  ]
}

function costRows({ instrumentationMs }: ShownTime, profilerMs: number): readonly Row[] {
  return [
    ['To begin the recording', formatDuration(profilerMs)],
    ...(instrumentationMs === undefined
      ? []
      : [['Its listeners while the request ran', formatDuration(instrumentationMs)] as const]),
    ['To collect and to store', 'after the answer has left; the sums are on the status page'],
  ]
}
