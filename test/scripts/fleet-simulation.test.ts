// The calculation of what many machines ask of the servers: `bench/fleet/simulate.ts`.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { FleetCosts } from '../../bench/fleet/costs.ts'
import { demandOf, limitsOf, simulation } from '../../bench/fleet/simulate.ts'

const small = { primaryUs: 100, replicaUs: 20, inBytes: 2000, replicationBytes: 1000, storedBytes: 3000 }
const costs: FleetCosts = {
  measuredOn: '2026-11-23T09:00',
  batches: [
    { batch: 1, ...small },
    { batch: 10, ...small, primaryUs: 25, inBytes: 1000, replicationBytes: 500 },
  ],
  idle: { primariesUs: 300, busiestUs: 200, commands: 10, bytes: 1000, connections: 2, connectionBytes: 20_000 },
}
const plan = { machines: 100, processes: 8, perSecond: 200, kept: 10_000 }

it('counts every process, in batches as large as its rate makes them', () => {
  const demand = demandOf(plan, costs)
  assert.equal(demand.profilesPerSecond, 160_000)
  assert.equal(demand.historySeconds, 0.0625)
  assert.equal(demand.writeCores, 4)
  assert.equal(demand.networkBytes, 160_000 * 1500 + 800 * 1000)
  assert.equal(demand.connections, 1600)
  assert.equal(demand.idleCores, 0.16)
  assert.equal(demand.connectionBytes, 32_000_000)
})

it('orders what breaks first by the number of processes', () => {
  const limits = limitsOf(costs, plan)
  assert.deepEqual(
    limits.map(({ processes }) => Math.round(processes * 100) / 100),
    [0.83, 416.67, 600, 2500, 5000],
  )
})

it('prints a column for each size of the fleet', () => {
  const text = simulation(costs, plan)
  assert.match(text, /^\| machines of 8 processes +\| +10 \| +100 \| +1,000 \|$/m)
  assert.match(text, /^1\. 1 process: the store reaches back less than a minute$/m)
})
