// How many bytes a router keeps for a route: `node bench/routing/memory.ts`. Each router builds its table of 5,000 routes in a
// separate process and looks up every path once; the heap is compared before and after, garbage collected.

import { execFileSync } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadContestants, requestOf } from './contestants.ts'
import type { Find } from './contestants.ts'
import { generatedTable, restTable } from './tables.ts'

const size = 5000
const [, script = '', name, tableName] = process.argv
if (name === undefined) await measureAll()
else await measureOne(name, tableName === 'REST' ? restTable(size) : generatedTable(size))

async function measureAll(): Promise<void> {
  const { contestants } = await loadContestants()
  console.log(`| router | REST ${size} | generated ${size} |\n|---|--:|--:|`)
  for (const contestant of contestants) {
    const cells = ['REST', 'generated'].map((table) => {
      try {
        return execFileSync(process.execPath, [script, contestant.name, table], { stdio: ['ignore', 'pipe', 'ignore'] })
      } catch {
        return '–'
      }
    })
    console.log(`| ${contestant.name} | ${cells.map((cell) => String(cell).trim()).join(' | ')} |`)
  }
}

async function measureOne(contestantName: string, table: ReturnType<typeof restTable>): Promise<void> {
  const { contestants } = await loadContestants()
  const contestant = contestants.find((one) => one.name === contestantName)
  if (contestant === undefined) throw new Error(`There is no router "${contestantName}".`)
  // Code and constants that the first table brings do not count as the cost of a route.
  ask(contestant.build(table.routes.slice(0, 10)))
  const before = heapUsed()
  const find = contestant.build(table.routes)
  ask(find)
  const after = heapUsed()
  ask(find)
  console.log(String(Math.round((after - before) / size)))

  function ask(asked: Find): void {
    for (const cell of table.cells) asked(cell.method, cell.path(1), requestOf(cell.method, cell.path(1)))
  }
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
