// The memory of the process before and after a request, and the pauses to collect garbage.

import * as v from 'valibot'
import { countOf } from '../../../errors/page/page-budget.ts'
import { formatBytes, formatDuration, keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import type { MemoryShares } from '../../collectors/time.ts'
import type { GarbagePause } from '../../measuring/request-meter.ts'
import type { Profile } from '../../profile.ts'

export function processMemory(memory: MemoryShares, pauses: readonly GarbagePause[]): SafeHtml {
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
export function processMemoryOf({ data }: Profile): SafeHtml | null {
  const read = v.safeParse(timeSchema, data['time'])
  return read.success ? processMemory(read.output.memory, read.output.garbagePauses) : null
}
