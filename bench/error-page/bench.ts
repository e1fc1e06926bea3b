// Measures error pages against each other, from the error to the whole HTML: `node bench/error-page/bench.ts [rounds] [names]`,
// names with commas, all by default. One process, rounds interleaved, a new error for each page. Prints least times, medians and
// 99th percentiles in milliseconds.

import { utimesSync } from 'node:fs'
import { loadContestants, type Draw } from './contestants.ts'
import { faults, type Fault } from './faulty.ts'

const rounds = Number(process.argv[2] ?? 300)
const warmUpRounds = 400

const { contestants: everyone, absent } = await loadContestants()
const names = process.argv[3]?.split(',')
const contestants = everyone.filter(({ name }) => names === undefined || names.includes(name))
console.log(`# Node ${process.versions.node}, ${rounds} interleaved rounds, in ms\n`)
if (absent.length > 0)
  console.log(`Not installed, and so not measured: ${absent.join(', ')}. Install with: npm install --prefix bench\n`)
console.log('| error | page | excerpts | least | median | p99 | times ours | KB |')
console.log('|---|---|---|--:|--:|--:|--:|--:|')
for (const fault of faults) {
  for (const excerpts of ['warm', 'cold'] as const) await measure(fault, excerpts)
}

interface Row {
  readonly name: string
  readonly times: number[]
  bytes: number
}

/**
 * Warm: one maker for all rounds. Cold: a new one for each page, and files of a new date, so that source is read again by
 * those too who keep it for the whole process.
 */
async function measure(fault: Fault, excerpts: 'warm' | 'cold'): Promise<void> {
  const rows = contestants.map(({ name }): Row => ({ name, times: [], bytes: 0 }))
  const kept = contestants.map((contestant) => contestant.make())
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const offset of contestants.keys()) {
      // Who comes first changes from round to round.
      const index = (offset + round + warmUpRounds) % contestants.length
      if (excerpts === 'cold') touchSources(round)
      const draw = excerpts === 'warm' ? kept[index] : contestants[index]?.make()
      const row = rows[index]
      if (draw === undefined || row === undefined) continue
      const { timeMs, page } = await timeOf(draw, fault)
      if (round < 0) continue
      row.times.push(timeMs)
      row.bytes = Buffer.byteLength(page)
    }
  }
  print(fault, excerpts, rows)
}

/** All files that the frames of the errors are in, this one too: nobody has any of them at hand. */
function touchSources(round: number): void {
  const date = new Date(Date.now() + round)
  for (const name of ['faulty.ts', 'faulty-orders.ts', 'bench.ts'])
    utimesSync(`${import.meta.dirname}/${name}`, date, date)
}

async function timeOf(draw: Draw, fault: Fault): Promise<{ timeMs: number; page: string }> {
  const error = fault.make()
  const start = process.hrtime.bigint()
  const drawn = draw(error, fault.statusCode)
  const page = typeof drawn === 'string' ? drawn : await drawn
  return { timeMs: Number(process.hrtime.bigint() - start) / 1e6, page }
}

function print(fault: Fault, excerpts: string, rows: readonly Row[]): void {
  const ours = rankOf(rows[0]?.times ?? [], 0.5)
  for (const { name, times, bytes } of rows) {
    const median = rankOf(times, 0.5)
    const cells = [
      rankOf(times, 0).toFixed(2),
      median.toFixed(2),
      rankOf(times, 0.99).toFixed(2),
      (median / ours).toFixed(1),
    ]
    console.log(`| ${fault.name} | ${name} | ${excerpts} | ${cells.join(' | ')} | ${(bytes / 1024).toFixed(0)} |`)
  }
}

function rankOf(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * rank))] ?? Number.NaN
}
