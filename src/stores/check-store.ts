// Looks whether a store can be used: the place first, then what is in it. Nothing is changed.

import { resolve } from 'node:path'
import { countOf } from '../errors/page/page-budget.ts'
import { formatBytes, formatCount } from '../framework/html/components.ts'
import { closuresOf, sayClosures } from '../plugins/maintenance/closure.ts'
import type { FleetMember } from '../profiler/fleet-stats.ts'
import { resolveEngineOptions, type EngineOptions } from './engine-options.ts'
import type { Engine } from './engine.ts'
import { openEngine, sqlitePath } from './open-engine.ts'
import { isRedisAddress, parseRedisAddress } from './redis/redis-address.ts'
import type { CheckedPlace, StoreFinding } from './store-finding.ts'

/** What was found, in the order in which it matters. Rejects with an `EngineError` for an address that cannot be used. */
export async function checkStore(
  address: string,
  options: EngineOptions,
  open: typeof openEngine = openEngine,
): Promise<readonly StoreFinding[]> {
  const { findings, mayBeOpened } = await checkPlace(address, options)
  if (!mayBeOpened) return findings
  // What opening warns of is among the findings.
  const engine = await open(address, { ...options, onWarning: () => undefined })
  try {
    return [...findings, ...(await checkContent(engine))]
  } finally {
    await engine.close()
  }
}

async function checkPlace(address: string, options: EngineOptions): Promise<CheckedPlace> {
  if (address === 'memory:') return { findings: [inMemory], mayBeOpened: false }
  const { bounds, directory } = resolveEngineOptions(options)
  if (isRedisAddress(address)) {
    const { checkRedis } = await import('./redis/check-redis.ts')
    return checkRedis(parseRedisAddress(address, directory), bounds)
  }
  const path = sqlitePath(address)
  // The engine says what is wrong with any other address.
  if (path === undefined) return { findings: [], mayBeOpened: true }
  const { checkSqliteFile } = await import('./sqlite/check-sqlite-file.ts')
  return checkSqliteFile({ path: resolve(directory, path), directory: resolve(directory), name: address, bounds })
}

const inMemory: StoreFinding = {
  name: 'memory',
  state: 'good',
  says: 'each process keeps its own; no command and no other process sees it',
}

async function checkContent({ profiles, lock }: Engine): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  const note = async (name: string, look: () => Promise<Finding | undefined>): Promise<void> => {
    const finding = await look().catch(failed)
    if (finding !== undefined) findings.push({ name, ...finding })
  }
  const stats = profiles.stats()
  await note('profiles', async () => {
    const { count, bytes, maxCount, maxBytes, oldestTime, missing, fleet } = await stats
    if (missing !== undefined) {
      const reason = fleet?.outage?.reason.replace(/\.$/, '') ?? 'they do not respond'
      const says = `${missing.parts} of ${missing.of} parts of the store cannot be reached: ${reason}`
      return { state: 'bad', says, advice: 'start the nodes that are down, or promote their replicas' }
    }
    const number = `${formatCount(count)} of at most ${formatCount(maxCount)}`
    const size = `${formatBytes(bytes)} of at most ${formatBytes(maxBytes)}`
    const age = typeof oldestTime === 'number' ? `, since ${new Date(oldestTime).toISOString()}` : ''
    return { state: 'good', says: `${number}, ${size}${age}` }
  })
  await note('processes', async () => processFacts((await stats.catch(() => undefined))?.fleet?.members))
  await note('lock', async () => {
    const state = await lock.read()
    const closures = closuresOf(state.value, state)
    const says = closures.length === 0 ? 'open' : `closed since ${state.changedAt}: ${sayClosures(closures)}`
    return { state: 'good', says }
  })
  return findings
}

type Finding = Omit<StoreFinding, 'name'>

/** Nothing if a store does not know who takes part. */
function processFacts(members: readonly FleetMember[] | undefined): Finding | undefined {
  if (members === undefined) return undefined
  const machines = new Set(members.map(({ host }) => host)).size
  const dropped = members.reduce((sum, member) => sum + member.dropped, 0)
  const says = `${formatCount(members.length)} on ${countOf(machines, 'machine')}`
  if (dropped === 0) return { state: 'good', says }
  const advice = 'the status page of each says why'
  return { state: 'warning', says: `${says}; they have dropped ${countOf(dropped, 'profile')}`, advice }
}

function failed(error: unknown): Finding {
  return { state: 'bad', says: (error instanceof Error ? error.message : String(error)).replace(/\.$/, '') }
}
