// One process of a fleet under load: a real engine with the profiler's writer, at a set rate. It notes every token that the store
// acknowledged in a file, which outlives a kill. What a shared store holds apart for a while is acknowledged, too. Started by fleet-load.ts.

import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Profile } from '../../src/observe/profile.ts'
import { ProfileWriter, type ProfileWriterStats } from '../../src/profiles/profile-writer.ts'
import type { FleetStats, ProfileStore } from '../../src/profiles/profile-store.ts'
import { createToken } from '../../src/profiles/recorder.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { makePageProfile, makeProfile } from './profiles.ts'

/** What such a process is told, in `FLEET_LOAD`: an address may hold a password, and arguments are for all to see. */
export interface LoadTask {
  readonly store: string
  readonly perSecond: number
  readonly maxProfiles: number
  readonly maxBytes?: number
  /** `page`: 12 KB of JSON; `small`: 0.4 KB. */
  readonly kind: 'page' | 'small'
  /** Where acknowledged tokens are noted, a line for each batch. */
  readonly notes: string
}

/** What it says at its end. */
export interface LoadReport {
  readonly made: number
  /** Longest time between two batches that the store acknowledged, in milliseconds, since the last mark. */
  readonly pauseMs: number
  /** The same before it. */
  readonly calmPauseMs: number
  /** Longest time for which profiles were held apart, in milliseconds, as far as looks every 0.2 s tell. */
  readonly heldMs: number
  /** Longest call of `enqueue`, in milliseconds. */
  readonly enqueueMs: number
  /** Longest delay of the event loop, in milliseconds. */
  readonly loopMs: number
  /** Processor time of the main thread while profiles were made, in microseconds for each. */
  readonly mainThreadUs: number
  /** Resident memory, in bytes, at the end of the load. */
  readonly residentBytes: number
  readonly writer: ProfileWriterStats
  /** Of a store that several machines share. */
  readonly fleet: FleetStats | null
}

/** What it sends while it runs. */
export type LoadMessage = { readonly open: true } | { readonly acknowledged: number } | { readonly report: LoadReport }

/** `mark`: what is measured from now on is kept apart from what was before. */
export type LoadOrder = 'mark' | 'stop'

/** How long what waits may take to be stored once the load has ended. */
const settleMs = 30_000
const templates = 200

if (process.env['FLEET_LOAD'] !== undefined) await run(JSON.parse(process.env['FLEET_LOAD']) as LoadTask)

async function run({ store, perSecond, maxProfiles, maxBytes, kind, notes }: LoadTask): Promise<void> {
  const engine = await openEngine(store, { maxProfiles, ...(maxBytes !== undefined && { maxBytes }) })
  const { profiles } = engine
  // The thread is there and has opened the store before the first profile is made.
  await profiles.stats()
  const seen = {
    made: 0,
    acknowledged: 0,
    atMs: performance.now(),
    pauseMs: 0,
    calmPauseMs: 0,
    heldMs: 0,
    enqueueMs: 0,
  }
  const noted = {
    name: profiles.name,
    read: (token: string) => profiles.read(token),
    find: profiles.find.bind(profiles),
    group: profiles.group.bind(profiles),
    gather: profiles.gather.bind(profiles),
    purge: profiles.purge.bind(profiles),
    stats: () => profiles.stats(),
    async write(batch: readonly Profile[]) {
      await profiles.write(batch)
      const nowMs = performance.now()
      if (seen.acknowledged > 0) seen.pauseMs = Math.max(seen.pauseMs, nowMs - seen.atMs)
      seen.atMs = nowMs
      seen.acknowledged += batch.length
      appendFileSync(notes, `${batch.map(({ token }) => token).join(' ')}\n`)
    },
  }
  const writer = new ProfileWriter({ store: noted })
  const made = Array.from({ length: templates }, (_, index) => (kind === 'page' ? makePageProfile : makeSmall)(index))
  const stopped = Promise.withResolvers<void>()
  process.on('message', (order: LoadOrder) => {
    if (order === 'stop') return stopped.resolve()
    seen.calmPauseMs = seen.pauseMs
    seen.pauseMs = 0
  })
  const telling = setInterval(() => send({ acknowledged: seen.acknowledged }), 50)
  const watching = new AbortController()
  void watchHeld(profiles, seen, watching.signal)
  send({ open: true })

  const loop = monitorEventLoopDelay({ resolution: 10 })
  loop.enable()
  const startedMs = performance.now()
  const before = process.threadCpuUsage()
  const making = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond)
    for (; seen.made < due; seen.made += 1) {
      const template = made[seen.made % templates]
      if (template === undefined) return
      const token = createToken(profiles.newTokenEnding?.())
      const profile = { ...template, token, time: Date.now() }
      const fromMs = performance.now()
      writer.enqueue(profile)
      seen.enqueueMs = Math.max(seen.enqueueMs, performance.now() - fromMs)
    }
  }, 5)
  await stopped.promise
  clearInterval(making)
  const used = process.threadCpuUsage(before)
  loop.disable()
  const residentBytes = process.memoryUsage.rss()
  const isSettled = await settled(writer, async () => (await profiles.stats()).fleet?.held ?? 0)
  watching.abort()
  const { fleet = null } = await profiles.stats()
  await writer.close(isSettled ? 5000 : 0)
  await engine.close()
  clearInterval(telling)
  const { made: count, pauseMs, calmPauseMs, heldMs, enqueueMs } = seen
  send({
    report: {
      made: count,
      pauseMs,
      calmPauseMs,
      heldMs,
      enqueueMs,
      loopMs: loop.max / 1e6,
      mainThreadUs: (used.user + used.system) / Math.max(1, count),
      residentBytes,
      writer: writer.stats,
      fleet,
    },
  })
  process.disconnect()
}

/** Whether all that waited was stored in time. */
async function settled(writer: ProfileWriter, held: () => Promise<number>): Promise<boolean> {
  const deadlineMs = performance.now() + settleMs
  while (performance.now() < deadlineMs) {
    await writer.flush()
    if (writer.stats.queued === 0 && (await held()) === 0) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

/** Notes how long profiles are held apart. */
async function watchHeld(profiles: ProfileStore, seen: { heldMs: number }, signal: AbortSignal): Promise<void> {
  let sinceMs: number | undefined
  while (!signal.aborted) {
    const { fleet } = await profiles.stats()
    if ((fleet?.held ?? 0) > 0) sinceMs ??= performance.now()
    else sinceMs = undefined
    if (sinceMs !== undefined) seen.heldMs = Math.max(seen.heldMs, performance.now() - sinceMs)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function makeSmall(index: number): Profile {
  return makeProfile({ url: `http://127.0.0.1:8000/orders/${index}`, route: `route_${index % 40}` })
}

function send(message: LoadMessage): void {
  if (process.connected) process.send?.(message)
}
