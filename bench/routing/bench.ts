// Measures routers against each other: `node bench/routing/bench.ts [sizes] [--json]`. One process, rounds interleaved, every
// path a string that has not been looked at before, as in a server. Prints medians in nanoseconds for one look-up.

import { loadContestants, requestOf } from './contestants.ts'
import type { Contestant, Find } from './contestants.ts'
import { generatedTable, restTable } from './tables.ts'
import type { BenchTable, Cell } from './tables.ts'

const rounds = 15
const lookUps = 4000

const sizes = (process.argv[2] ?? '10,50,500,5000').split(',').map(Number)
const { contestants, absent } = await loadContestants()

console.log(`# Node ${process.versions.node}, medians of ${rounds} interleaved rounds of ${lookUps} look-ups, in ns`)
if (absent.length > 0)
  console.log(`\nNot installed, and so not measured: ${absent.join(', ')}. Install with: npm install --prefix bench`)
for (const size of sizes) {
  for (const table of [restTable(size), generatedTable(size)]) measure(table)
}

function measure(table: BenchTable): void {
  const built = contestants.flatMap((contestant) => buildTimed(contestant, table))
  const times = new Map(built.map(({ contestant }) => [contestant.name, table.cells.map((): number[] => [])]))
  for (let round = -3; round < rounds; round += 1) {
    const turn = built.map((_, index) => built[(index + round + 3) % built.length])
    for (const [index, cell] of table.cells.entries()) {
      for (const entry of turn) {
        if (entry === undefined) continue
        const time = timeOf(entry.find, cell)
        if (round >= 0) times.get(entry.contestant.name)?.[index]?.push(time)
      }
    }
  }
  print(table, built, times)
}

interface Built {
  readonly contestant: Contestant
  readonly find: Find
  readonly buildMs: number
  readonly wrong: readonly string[]
}

/** A router that cannot hold the table is left out. */
function buildTimed(contestant: Contestant, table: BenchTable): Built[] {
  try {
    contestant.build(table.routes)
    const start = process.hrtime.bigint()
    const find = contestant.build(table.routes)
    const buildMs = Number(process.hrtime.bigint() - start) / 1e6
    const wrong = table.cells.filter((cell) => answers(find, cell) !== cell.isHit).map((cell) => cell.name)
    return [{ contestant, find, buildMs, wrong }]
  } catch (error) {
    console.log(`\n${contestant.name} cannot hold ${table.name}: ${String(error).slice(0, 100)}`)
    return []
  }
}

function answers(find: Find, cell: Cell): boolean {
  return find(cell.method, cell.path(1), requestOf(cell.method, cell.path(1)))
}

function timeOf(find: Find, { method, path }: Cell): number {
  const requests = Array.from({ length: lookUps }, (_, index) =>
    requestOf(method, Buffer.from(path(index)).toString('latin1')),
  )
  let hits = 0
  const start = process.hrtime.bigint()
  for (const request of requests) if (find(method, request.path, request)) hits += 1
  const time = Number(process.hrtime.bigint() - start) / lookUps
  if (hits < 0) throw new Error('A count below zero.')
  return time
}

function print(
  table: BenchTable,
  built: readonly Built[],
  times: ReadonlyMap<string, readonly (readonly number[])[]>,
): void {
  console.log(`\n## ${table.name}\n`)
  console.log(`| router | ${table.cells.map((cell) => cell.name).join(' | ')} | build ms |`)
  console.log(`|---|${table.cells.map(() => '--:|').join('')}--:|`)
  for (const { contestant, buildMs, wrong } of built) {
    const cells = table.cells.map((cell, index) => {
      if (wrong.includes(cell.name)) return '–'
      return String(Math.round(median(times.get(contestant.name)?.[index] ?? [])))
    })
    console.log(`| ${contestant.name} | ${cells.join(' | ')} | ${buildMs.toFixed(1)} |`)
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
