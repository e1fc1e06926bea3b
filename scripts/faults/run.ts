// Faults that need minutes, or the right to mount: `npm run faults`, or `npm run faults -- F01 F37` for some of them, `F-R` for all
// of a store on Redis. Each prints what was observed beside its criterion. Exits with 1 when a criterion is missed. Only loopback.

import { brokenOff, gigabyte } from './clients.ts'
import type { FaultResult } from './fault.ts'
import { fleetFaults } from './fleet/faults.ts'
import { foreignFolder, manyConnections, outOfMemory, restartStorm } from './limits.ts'
import { fourProcesses, killedUnderLoad } from './processes.ts'
import { largeTables } from './route-table.ts'
import { stalledLoop } from './stalled-loop.ts'
import { loweredBound } from './store-bound.ts'
import { failingCalls } from './store-io.ts'
import { heldStore, slowDisk } from './store-slow.ts'
import { fullDisk, readOnlyFromTheStart, readOnlyUnderLoad, tinyDisk } from './store-disk.ts'

const faults: readonly (readonly [fault: string, run: () => Promise<FaultResult>])[] = [
  ['F01', tinyDisk],
  ['F01', fullDisk],
  ['F02', readOnlyFromTheStart],
  ['F02', readOnlyUnderLoad],
  ['F03', foreignFolder],
  ['F05', heldStore],
  ['F06', slowDisk],
  ['F07', failingCalls],
  ['F12', killedUnderLoad],
  ['F25', outOfMemory],
  ['F26', brokenOff],
  ['F27', gigabyte],
  ['F29', manyConnections],
  ['F32', largeTables],
  ['F33', stalledLoop],
  ['F35', loweredBound],
  ['F37', fourProcesses],
  ['F41', restartStorm],
  ...fleetFaults,
]

const chosen = process.argv.slice(2)
const isNamed = (fault: string, name: string): boolean => fault === name || (name === 'F-R' && fault.startsWith(name))
const unknown = chosen.filter((name) => !faults.some(([fault]) => isNamed(fault, name)))
if (unknown.length > 0) {
  console.error(`No fault ${unknown.join(', ')}; there are ${[...new Set(faults.map(([fault]) => fault))].join(', ')}.`)
  process.exit(1)
}

console.log('| fault | what | criterion | observed | met |')
console.log('|---|---|---|---|---|')
for (const [fault, run] of faults) {
  if (chosen.length > 0 && !chosen.some((name) => isNamed(fault, name))) continue
  const { title, criterion, observed, isMet } = await run().catch((error: unknown) => ({
    title: 'could not be tried to its end',
    criterion: '—',
    observed: String(error).split('\n')[0],
    isMet: false,
  }))
  const met = isMet === null ? 'not tried' : isMet ? 'yes' : 'NO'
  console.log(`| ${fault} | ${title} | ${criterion} | ${observed} | ${met} |`)
  if (isMet === false) process.exitCode = 1
}
