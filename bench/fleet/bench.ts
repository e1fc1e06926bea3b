// The bars of a store that many machines share: `npm run bench:fleet [-- --only=lists,lock,pages] [--runs=3] [--million]`. Real clusters on
// loopback, one part after the other; prints a row for each bar, with the load of the machine. Exits with 1 where one is missed.

import { parseArgs } from 'node:util'
import { lockAcross, opensElsewhere } from './across.ts'
import { machineLoad, type Bar } from './bar.ts'
import { caps } from './caps.ts'
import { measureCosts } from './costs.ts'
import { failovers } from './failovers.ts'
import { lists } from './lists.ts'
import { pageTimes } from './page-times.ts'
import { profileCost } from './profile-cost.ts'

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    runs: { type: 'string', default: '3' },
    million: { type: 'boolean', default: false },
  },
})

const parts: Readonly<Record<string, () => Promise<readonly Bar[]>>> = {
  ...pageTimes,
  cost: profileCost,
  opens: opensElsewhere,
  ...failovers(Number(flags.runs)),
  lock: lockAcross,
  lists: () => lists(flags.million ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]),
  caps,
  servers: measureCosts,
}

const names = Object.keys(parts)
const unknown = flags.only?.split(',').filter((only) => !names.some((name) => name.startsWith(only))) ?? []
if (unknown.length > 0) throw new Error(`No part ${unknown.join(', ')}; there are ${names.join(', ')}`)
const chosen = flags.only?.split(',') ?? ['']
console.log('| bar | asked | seen | met | load of the machine |')
console.log('|---|---|---|---|--:|')
for (const [name, part] of Object.entries(parts)) {
  if (!chosen.some((only) => name.startsWith(only))) continue
  for (const { what, asked, seen, isMet } of await part()) {
    const met = isMet === null ? '' : isMet ? 'yes' : 'NO'
    console.log(`| ${what} | ${asked} | ${seen} | ${met} | ${machineLoad()} |`)
    if (isMet === false) process.exitCode = 1
  }
}
