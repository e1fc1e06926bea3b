// Which functions used the CPU and which allocated memory, where that was measured.

import * as v from 'valibot'
import { counted, formatBytes, formatDuration } from '../base/html/components.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { empty, facts, heading, note, place, recorded, table, text } from '../observe/blocks/blocks.ts'
import type { Block, Blocks, Line } from '../observe/blocks/blocks.ts'
import type { DescribedPart } from '../observe/blocks/described-part.ts'
import type { CpuData, CpuFunctionData, MemoryData } from '../observe/collectors/functions.ts'
import type { Profile } from '../observe/profile.ts'

const maxFunctions = 60
/** Milliseconds below which a function's own time is too short to be shown. */
const leastSelfMs = 0.005
/** Part of all bytes below which a function is not shown. */
const leastShare = 0.01
/** Below so many samples a picture says little. */
const fewSamples = 10

export const cpuPart: DescribedPart<CpuData> = {
  name: 'cpu',
  title: 'Flame graph',
  of: 'requests',
  noun: 'function',
  empty: 'No CPU profile yet. Record one by replaying this request.',
  draw: (data) => {
    const { samples, ownMs, othersMs, startTookMs, stopTookMs } = data
    if (samples === 0) return [empty('This request was too fast for the profile, which samples every millisecond.')]
    const all = functionTimes(data)
    // Others only called these.
    const times = all.filter(({ selfMs, called }) => selfMs >= leastSelfMs || called.origin === 'own')
    const callers = all.length - times.length
    const rows = times.map(({ called, selfMs, totalMs }) =>
      rowOf(called, formatDuration(selfMs), selfMs / ownMs, formatDuration(totalMs)),
    )
    const few = samples < fewSamples ? { strong: 'So few samples only hint at where the time went.' } : null
    return [
      text([`${formatDuration(ownMs)} on the CPU, ${counted(samples, 'sample')} at 1 ms.`, few]),
      note(othersMs >= 1 && `${formatDuration(othersMs)} of other requests excluded.`, 'info'),
      heading('By function'),
      ...functionTable('Functions by self time', rows),
      text(callers > 0 && `${counted(callers, 'function')} of Node and dependencies without self time not shown.`),
      text(
        `Profiling blocked the process for ${formatDuration(startTookMs)} before the handler and for ${formatDuration(stopTookMs)} after the response. Code runs slower while it is profiled.`,
      ),
    ]
  },
}

export const memoryPart: DescribedPart<MemoryData> = {
  name: 'memory',
  title: 'Memory',
  of: 'requests',
  noun: 'function',
  empty: 'Allocations were not sampled. Record them by replaying this request.',
  draw: ({ functions, dropped, totalBytes, libraryBytes, isCut, startTookMs, stopTookMs }) => {
    if (functions.length === 0) return [empty('Too little was allocated for a sample.')]
    const least = totalBytes * leastShare
    const large = functions.filter((one) => (one.origin === 'own' ? one.totalBytes : one.selfBytes) >= least)
    const rows = large.map((one) =>
      rowOf(one, formatBytes(one.selfBytes), one.selfBytes / totalBytes, formatBytes(one.totalBytes)),
    )
    const smaller = functions.length - large.length + dropped
    return [
      text(
        `About ${formatBytes(totalBytes)} allocated by your code and what it called, concurrent requests included (sampled every 8 KB).`,
      ),
      text(libraryBytes > 0 && `Fanlight's own functions allocated another ${formatBytes(libraryBytes)}, not shown.`),
      note(isCut && 'Only the first minute of the request was sampled.'),
      ...functionTable('Functions by the bytes that they allocated', rows),
      text(smaller > 0 && `… and ${counted(smaller, 'smaller function')}.`),
      text(
        `Sampling blocked the process for ${formatDuration(startTookMs)} before the handler and for ${formatDuration(stopTookMs)} after the response.`,
      ),
    ]
  },
}

function functionTable(name: string, rows: readonly (readonly Line[])[]): readonly (Block | null)[] {
  const missing = rows.length - maxFunctions
  return [
    table(
      name,
      'function',
      ['Function', { number: 'Self' }, { number: 'Total' }, 'Origin'],
      rows.slice(0, maxFunctions),
    ),
    text(missing > 0 && `${counted(missing, 'more function')} not shown.`),
  ]
}

/** `share`: of the whole, which may be nothing. */
function rowOf(called: CpuFunctionData, self: string, share: number, total: string): readonly Line[] {
  const origin: Line =
    called.origin === 'own' ? { mark: 'your code', tone: 'success' } : { mark: called.origin, tone: 'neutral' }
  const name = [recorded(cutText(called.name, 200)), place(functionPlace(called) || null)]
  return [name, share > 0 ? [self, { quiet: `${Math.round(share * 100) || '< 1'} %` }] : '–', total, origin]
}

/** `src/prices.ts:12`, or nothing where V8 knows no place. */
export function functionPlace({ file, line }: CpuFunctionData): string {
  return file === '' ? '' : `${cutText(file, 300)}${line > 0 ? `:${line}` : ''}`
}

export interface FunctionTime {
  readonly called: CpuFunctionData
  readonly selfMs: number
  /** What it called included; a call inside a call of the same function counts once. */
  readonly totalMs: number
}

/** Own code first: it is what can be changed. */
export function functionTimes({ calls, functions }: CpuData): readonly FunctionTime[] {
  const selfMs = functions.map(() => 0)
  const totalMs = functions.map(() => 0)
  for (const [index, { of, selfMs: self, totalMs: total, parent }] of calls.entries()) {
    if (functions[of] === undefined) continue
    selfMs[of] = (selfMs[of] ?? 0) + self
    if (!isInside(calls, parent, index, of)) totalMs[of] = (totalMs[of] ?? 0) + total
  }
  return functions
    .map((called, of) => ({ called, selfMs: selfMs[of] ?? 0, totalMs: totalMs[of] ?? 0 }))
    .filter((time) => time.totalMs > 0)
    .sort(
      (one, other) =>
        Number(other.called.origin === 'own') - Number(one.called.origin === 'own') ||
        other.selfMs - one.selfMs ||
        other.totalMs - one.totalMs,
    )
}

// Callers come before what they call; a profile that says otherwise is not followed in circles.
function isInside(calls: CpuData['calls'], parent: number, index: number, of: number): boolean {
  let before = index
  for (let at = parent; at >= 0 && at < before; at = calls[at]?.parent ?? -1) {
    if (calls[at]?.of === of) return true
    before = at
  }
  return false
}

const bytes = v.pipe(v.number(), v.finite())
const measuredTime = v.object({
  memory: v.object({ heapBefore: bytes, heapAfter: bytes, heapLimit: bytes, resident: bytes }),
  garbagePauses: v.optional(v.array(v.object({ kind: v.string(), durationMs: v.number() })), []),
})

/** The memory of the process while the request ran; nothing if it was not measured. */
export function processMemory({ data }: Pick<Profile, 'data'>): Blocks {
  const read = v.safeParse(measuredTime, data['time'])
  if (!read.success) return []
  const { memory, garbagePauses: pauses } = read.output
  const change = memory.heapAfter - memory.heapBefore
  const pausedMs = pauses.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const kinds = [...new Set(pauses.map(({ kind }) => kind))].join(', ')
  const paused = `${counted(pauses.length, 'pause')} (${kinds}), ${formatDuration(pausedMs)} total`
  return [
    facts('Memory of the process', [
      ['Heap before', formatBytes(memory.heapBefore)],
      ['Heap after', `${formatBytes(memory.heapAfter)} (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`],
      ['Heap limit', formatBytes(memory.heapLimit)],
      ['Resident memory', formatBytes(memory.resident)],
      ['GC pauses', pauses.length === 0 ? 'none in this request' : recorded(paused)],
    ]),
    text(
      'Memory of the whole process, concurrent requests included. The heap is read at most every 5 ms, resident memory once a second.',
    ),
  ]
}
