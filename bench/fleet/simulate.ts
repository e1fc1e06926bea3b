// What 10, 100 and 1,000 machines would ask of the servers, calculated from what was measured (`costs.json`), and what breaks
// first: `node bench/fleet/simulate.ts [--processes=8] [--rate=200] [--kept=10000]`. Nothing is started.

import { formatCount } from '../../src/base/html/components.ts'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { markdownTable } from '../http/figures.ts'
import type { BatchCost, FleetCosts } from './costs.ts'

/** A fleet that is asked about. */
export interface FleetPlan {
  readonly machines: number
  readonly processes: number
  /** Requests recorded by each process in a second, where nothing holds it back. */
  readonly perSecond: number
  /** Profiles kept at most. */
  readonly kept: number
}

/** What it asks of the servers. */
export interface FleetDemand {
  readonly profilesPerSecond: number
  /** How far back the store reaches, in seconds. */
  readonly historySeconds: number
  /** Cores of primaries for writes. */
  readonly writeCores: number
  /** Cores of the busiest of three primaries for processes that only wait: polls, heartbeats, the topology. */
  readonly idleCores: number
  /** Bytes a second into the primaries and on to the replicas. */
  readonly networkBytes: number
  /** On the primary that has most. */
  readonly connections: number
  readonly connectionBytes: number
}

/** What Redis takes unless it is told otherwise. */
const maxClients = 10_000
const sizes = [10, 100, 1000]

/** Calculates it. Each process writes 20 batches a second at most, so a rate gives the size of its batches. */
export function demandOf(plan: FleetPlan, { batches, idle }: FleetCosts): FleetDemand {
  const processes = plan.machines * plan.processes
  const profilesPerSecond = processes * plan.perSecond
  const { primaryUs, inBytes, replicationBytes } = costOf(Math.max(1, plan.perSecond / 20), batches)
  return {
    profilesPerSecond,
    historySeconds: plan.kept / profilesPerSecond,
    writeCores: (profilesPerSecond * primaryUs) / 1e6,
    idleCores: (processes * idle.busiestUs) / 1e6,
    networkBytes: profilesPerSecond * (inBytes + replicationBytes) + processes * idle.bytes,
    connections: Math.ceil(processes * idle.connections),
    connectionBytes: processes * idle.connections * idle.connectionBytes,
  }
}

/** Processes at which each thing is used up, the first one first. */
export function limitsOf(
  { batches, idle }: FleetCosts,
  { perSecond, kept }: Pick<FleetPlan, 'perSecond' | 'kept'>,
): readonly { readonly what: string; readonly processes: number }[] {
  const { primaryUs, inBytes, replicationBytes } = costOf(perSecond / 20, batches)
  return [
    { what: 'the store reaches back less than a minute', processes: kept / 60 / perSecond },
    { what: 'three primaries are busy with writes', processes: 3e6 / (primaryUs * perSecond) },
    { what: '1 Gbit/s', processes: 125e6 / ((inBytes + replicationBytes) * perSecond) },
    {
      what: `${formatCount(maxClients)} connections to one primary (\`maxclients\`)`,
      processes: maxClients / idle.connections,
    },
    { what: 'half a core of the busiest primary for processes that only wait', processes: 5e5 / idle.busiestUs },
  ].toSorted((one, other) => one.processes - other.processes)
}

/** Between measured sizes of batches the nearest smaller one counts, which is dearer. */
function costOf(size: number, batches: readonly BatchCost[]): BatchCost {
  const cost = batches.findLast(({ batch }) => batch <= size) ?? batches[0]
  if (cost === undefined) throw new Error('No batch was measured')
  return cost
}

/** The tables, in Markdown. */
export function simulation(costs: FleetCosts, plan: Omit<FleetPlan, 'machines'>): string {
  const demands = sizes.map((machines) => demandOf({ ...plan, machines }, costs))
  const row = (name: string, say: (demand: FleetDemand) => string): readonly string[] => [name, ...demands.map(say)]
  const head = [`machines of ${plan.processes} processes`, ...sizes.map((size) => formatCount(size))]
  const table = markdownTable(head, [
    row('profiles a second', (one) => formatCount(one.profilesPerSecond)),
    row('history', (one) => duration(one.historySeconds)),
    row('cores of primaries for writes', (one) => one.writeCores.toFixed(2)),
    row('network into primaries and replicas', (one) => `${(one.networkBytes / 1e6).toFixed(1)} MB/s`),
    row('connections to the busiest of 3 primaries', (one) => formatCount(one.connections)),
    row('their memory', (one) => `${(one.connectionBytes / 1e6).toFixed(0)} MB`),
    row('core of that primary for waiting processes', (one) => one.idleCores.toFixed(2)),
  ])
  const limits = limitsOf(costs, plan).map(({ what, processes }) => {
    const count = Math.max(1, Math.ceil(processes))
    return `${formatCount(count)} ${count === 1 ? 'process' : 'processes'}: ${what}`
  })
  return `${table}\n\nWhat breaks first, by the number of processes:\n\n${limits.map((line) => `1. ${line}`).join('\n')}`
}

function duration(count: number): string {
  if (count < 1) return `${count.toFixed(2)} s`
  if (count < 120) return `${count.toFixed(0)} s`
  return `${(count / 60).toFixed(0)} min`
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      processes: { type: 'string', default: '8' },
      rate: { type: 'string', default: '200' },
      kept: { type: 'string', default: '10000' },
    },
  })
  const costs = JSON.parse(readFileSync(new URL('costs.json', import.meta.url), 'utf8')) as FleetCosts
  const plan = { processes: Number(values.processes), perSecond: Number(values.rate), kept: Number(values.kept) }
  console.log(simulation(costs, plan))
}
