// Measures error pages against each other, from the error to the whole HTML: `node bench/error-page/bench.ts [rounds] [names]`,
// names with commas, all by default. One process, rounds interleaved, a new error for each page. Prints least times, medians and
// 99th percentiles in milliseconds.

import { loadContestants, type Draw } from './contestants.ts'
import { faults, type Fault } from './faulty.ts'
import { NewPlaces } from './new-places.ts'

const rounds = Number(process.argv[2] ?? 300)
const warmUpRounds = { warm: 400, cold: 100, first: 100 }

const { contestants: everyone, absent } = await loadContestants()
const names = process.argv[3]?.split(',')
const contestants = everyone.filter(({ name }) => names === undefined || names.includes(name))
console.log(`# Node ${process.versions.node}, ${rounds} interleaved rounds, in ms\n`)
if (absent.length > 0)
  console.log(`Not installed, and so not measured: ${absent.join(', ')}. Install with: npm install --prefix bench\n`)
console.log('| error | page | state | least | median | p99 | times ours | KB |')
console.log('|---|---|---|--:|--:|--:|--:|--:|')
const places = new NewPlaces()
try {
  for (const index of faults.keys()) {
    for (const state of ['warm', 'cold', 'first'] as const) await measure(index, state)
  }
} finally {
  places.remove()
}

interface Row {
  readonly name: string
  readonly times: number[]
  bytes: number
}

/** What is known when a page is drawn. */
type State = 'warm' | 'cold' | 'first'

/**
 * Warm: one maker for all rounds, the same place each time. Cold: one maker, and each error from files that nobody has seen
 * before, as the first error at a place in a process that has answered others. First: a new maker for each page as well.
 */
async function measure(index: number, state: State): Promise<void> {
  const rows = contestants.map(({ name }): Row => ({ name, times: [], bytes: 0 }))
  const kept = contestants.map((contestant) => contestant.make())
  for (let round = -warmUpRounds[state]; round < rounds; round += 1) {
    for (const offset of contestants.keys()) {
      // Who comes first changes from round to round.
      const turn = (offset + round + warmUpRounds[state]) % contestants.length
      const draw = state === 'first' ? contestants[turn]?.make() : kept[turn]
      const fault = (state === 'warm' ? faults : await places.next())[index]
      const row = rows[turn]
      if (draw === undefined || row === undefined || fault === undefined) continue
      const { timeMs, page } = await timeOf(draw, fault)
      if (round < 0) continue
      row.times.push(timeMs)
      row.bytes = Buffer.byteLength(page)
    }
  }
  print(faults[index]?.name ?? '', state, rows)
}

async function timeOf(draw: Draw, fault: Fault): Promise<{ timeMs: number; page: string }> {
  const error = fault.make()
  const start = process.hrtime.bigint()
  const drawn = draw(error, fault.statusCode)
  const page = typeof drawn === 'string' ? drawn : await drawn
  return { timeMs: Number(process.hrtime.bigint() - start) / 1e6, page }
}

function print(name: string, state: State, rows: readonly Row[]): void {
  const ours = rankOf(rows[0]?.times ?? [], 0.5)
  for (const { name: page, times, bytes } of rows) {
    const median = rankOf(times, 0.5)
    const cells = [
      rankOf(times, 0).toFixed(2),
      median.toFixed(2),
      rankOf(times, 0.99).toFixed(2),
      (median / ours).toFixed(1),
    ]
    console.log(`| ${name} | ${page} | ${state} | ${cells.join(' | ')} | ${(bytes / 1024).toFixed(0)} |`)
  }
}

function rankOf(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * rank))] ?? Number.NaN
}
