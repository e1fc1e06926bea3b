// The faults of a store that many machines share, F-R1 to F-R14, each on real servers of its own.

import { findProgram } from '../../test-tools.mjs'
import type { FaultResult } from '../fault.ts'
import { fullMemory, noReplica, swappedRoles, tooFewReplicas } from './bounds.ts'
import { clocksApart } from './clocks.ts'
import { guideFaults } from './guide.ts'
import { cutLinks, lockBehindCut, oneSwallowingLink, slowLinks, slowLinksPages, swallowingLinks } from './links.ts'
import {
  hungPrimary,
  killedPrimary,
  killedPrimaryFullCoverage,
  killedProcess,
  laggingReplica,
  movedSlots,
  wokenPrimary,
} from './primaries.ts'
import { evictingPolicy, narrowRights, newerFormat, wrongName, wrongPassword } from './refusals.ts'
import { downAtStart, hungAtStart } from './start.ts'
import { resultUnderLoad, type LoadFault } from './under-load.ts'

const underLoad: readonly LoadFault[] = [
  killedPrimary,
  killedPrimaryFullCoverage,
  hungPrimary,
  wokenPrimary,
  laggingReplica,
  movedSlots,
  fullMemory,
  noReplica,
  tooFewReplicas,
  swappedRoles,
  slowLinks,
  cutLinks,
  swallowingLinks,
  oneSwallowingLink,
  killedProcess,
]

const others: readonly (readonly [fault: string, run: () => Promise<FaultResult>])[] = [
  ['F-R1', downAtStart],
  ['F-R1', hungAtStart],
  ['F-R9', slowLinksPages],
  ['F-R10', lockBehindCut],
  ['F-R11', wrongPassword],
  ['F-R11', narrowRights],
  ['F-R11', wrongName],
  ['F-R12', evictingPolicy],
  ['F-R12', newerFormat],
  ['F-R12', clocksApart],
  ...guideFaults,
]

/** In the order of their numbers. */
export const fleetFaults: readonly (readonly [fault: string, run: () => Promise<FaultResult>])[] = [
  ...others,
  ...underLoad.map((one) => [one.fault, () => resultUnderLoad(one)] as const),
]
  .map(([fault, run]) => [fault, () => tried(fault, run)] as const)
  .toSorted(([one], [other]) => Number(one.slice(3)) - Number(other.slice(3)))

async function tried(fault: string, run: () => Promise<FaultResult>): Promise<FaultResult> {
  if (findProgram('redis-server') !== null) return run()
  const observed = 'not tried: there is no redis-server on this machine'
  return { fault, title: 'many machines', criterion: '—', observed, isMet: null }
}
