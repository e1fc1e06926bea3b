// The bars of a store that many machines share: `npm run bench:fleet [-- --only=lists,lock] [--runs=3] [--million]`. Real clusters on
// loopback, one part after the other; prints a row for each bar, with the load of the machine. Exits with 1 where one is missed.

import { parseArgs } from 'node:util'
import { lockAcross, opensElsewhere } from './across.ts'
import { machineLoad, type Bar } from './bar.ts'
import { caps } from './caps.ts'
import { measureCosts } from './costs.ts'
import { failovers } from './failovers.ts'
import { lists } from './lists.ts'
import { pace } from './pace.ts'
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
  pages: pageTimes,
  cost: profileCost,
  opens: opensElsewhere,
  failovers: () => failovers(Number(flags.runs)),
  lock: lockAcross,
  lists: () => lists(flags.million ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]),
  caps,
  pace,
  costs: measureCosts,
}

const chosen = flags.only?.split(',') ?? Object.keys(parts)
console.log('| bar | asked | seen | met | load of the machine |')
console.log('|---|---|---|---|--:|')
for (const name of chosen) {
  const part = parts[name]
  if (part === undefined) throw new Error(`No part ${name}; there are ${Object.keys(parts).join(', ')}`)
  for (const { what, asked, seen, isMet } of await part()) {
    const met = isMet === null ? '' : isMet ? 'yes' : 'NO'
    console.log(`| ${what} | ${asked} | ${seen} | ${met} | ${machineLoad()} |`)
    if (isMet === false) process.exitCode = 1
  }
}
