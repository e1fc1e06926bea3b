// Measures servers in the middle of a load: from when all connections are open and responses come, for the given time, so that
// neither connecting nor closing counts. What was used is asked of the servers themselves.

import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../http/server-process.ts'

/** What was done and used between two instants, of all servers together. */
export interface Used {
  readonly answered: number
  readonly mainMicroseconds: number
  readonly allMicroseconds: number
  /** Of the clock. */
  readonly elapsedMs: number
}

/** Names of the figures that a server tells. */
const fields = ['answered', 'mainMicroseconds', 'allMicroseconds', 'nowMs'] as const
type Usage = Record<(typeof fields)[number], number>

/**
 * Starts the load, waits until that many requests of it are answered, and measures for so many milliseconds. `undefined` when
 * the load ended before: the machine was too busy. Rejects with what the load rejects with.
 */
export async function measureWithin(
  servers: readonly ServerProcess[],
  start: () => Promise<unknown>,
  { settled, windowMs }: { settled: number; windowMs: number },
): Promise<Used | undefined> {
  const first = await usageOf(servers)
  const state = { hasEnded: false }
  const load = start().finally(() => (state.hasEnded = true))
  // The rejection is seen below; until then it has a listener.
  load.catch(() => undefined)
  let before = first
  do {
    await delay(20)
    before = await usageOf(servers)
  } while (before.answered < first.answered + settled && !state.hasEnded)
  await delay(windowMs)
  const after = await usageOf(servers)
  const wasInTime = !state.hasEnded
  await load
  return wasInTime ? difference(before, after, servers.length) : undefined
}

/** What servers use while nobody asks them for anything. */
export async function measureIdle(servers: readonly ServerProcess[], windowMs: number): Promise<Used> {
  await delay(300)
  const before = await usageOf(servers)
  await delay(windowMs)
  return difference(before, await usageOf(servers), servers.length)
}

function difference(before: Usage, after: Usage, count: number): Used {
  return {
    answered: after.answered - before.answered,
    mainMicroseconds: after.mainMicroseconds - before.mainMicroseconds,
    allMicroseconds: after.allMicroseconds - before.allMicroseconds,
    elapsedMs: (after.nowMs - before.nowMs) / count,
  }
}

/** The sum of what they tell. */
async function usageOf(servers: readonly ServerProcess[]): Promise<Usage> {
  const sum: Usage = { answered: 0, mainMicroseconds: 0, allMicroseconds: 0, nowMs: 0 }
  const answers = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/bench/usage`)).json()))
  for (const answer of answers) for (const field of fields) sum[field] += (answer as Usage)[field]
  return sum
}
