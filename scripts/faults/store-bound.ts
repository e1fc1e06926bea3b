// The bound of a large store is lowered (F35): what requests and other processes feel meanwhile, and when the space is there again.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fillStores } from '../../bench/growth/fill-store.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { runFile } from '../../test/support/running-process.ts'
import { until } from '../../test/support/until.ts'
import type { FaultResult } from './fault.ts'
import { describePages, measurePages, type PageFigures } from './fleet/pages.ts'
import { makePlace } from './place.ts'

const before = 500_000
const after = 1000

/** Tells the longest delay of the event loop so far, and begins anew, on SIGUSR2. */
const loopDelay = `import { monitorEventLoopDelay } from 'node:perf_hooks'
import { writeFileSync } from 'node:fs'
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.on('SIGUSR2', () => { writeFileSync(process.env.LOOP_FILE, String(delay.max / 1e6)); delay.reset() })`

/** F35: an application begins with a bound of 1,000 on a file with 500,000 profiles. */
export async function loweredBound(): Promise<FaultResult> {
  using place = makePlace()
  const [path = ''] = await fillStores(place.path, [before])
  const megabytes = (): number => Math.round(['', '-wal'].reduce((sum, end) => sum + sizeOf(path + end), 0) / 2 ** 20)
  const atFirst = megabytes()
  const loopFile = join(place.path, 'loop')
  const load = {
    APP_PROFILES_MEGABYTES: '10000',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(loopDelay)}`,
    LOOP_FILE: loopFile,
  }
  const measured = async (count: number, seconds: number, during?: () => Promise<void>): Promise<Measured> => {
    const env = { ...load, APP_STORE: `sqlite:${path}`, APP_PROFILES_COUNT: String(count) }
    await using running = await runFile('app/main.ts', env)
    await measurePages(running, 3)
    running.child.kill('SIGUSR2')
    const [pages] = await Promise.all([measurePages(running, seconds), during?.()])
    const told = statSync(loopFile, { throwIfNoEntry: false })?.mtimeMs ?? 0
    running.child.kill('SIGUSR2')
    await until(() => (statSync(loopFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) > told)
    return { pages, loopMs: Number(readFileSync(loopFile, 'utf8')) }
  }
  const calm = await measured(2 * before, 10)
  const lock = { slowestMs: 0, writes: 0, failed: 0 }
  let seconds = 0
  const other = await openEngine(`sqlite:${path}`, { maxProfiles: after })
  const lowered = await measured(after, 45, async () => {
    const startedMs = performance.now()
    await until(async () => {
      const fromMs = performance.now()
      const state = { value: 0, reason: '', retryAfterSeconds: null, changedAt: new Date().toISOString() }
      await other.lock.write(state).then(
        () => (lock.writes += 1),
        () => (lock.failed += 1),
      )
      lock.slowestMs = Math.max(lock.slowestMs, performance.now() - fromMs)
      return (await other.profiles.stats()).count <= after
    }, 300_000)
    seconds = (performance.now() - startedMs) / 1000
  })
  const { count } = await other.profiles.stats()
  await other.close()
  const [slowest, normal] = [lowered, calm].map(({ pages }) => Math.round(pages.slowestMs))
  return {
    fault: 'F35',
    title: `a bound is lowered from ${before} profiles to ${after}`,
    criterion: 'slowest page <= normal + 100 ms, no lock fails, the file is a tenth at most',
    observed: `${describePages(calm.pages)}, slowest ${normal} ms, event loop ${Math.round(calm.loopMs)} ms normally; ${describePages(lowered.pages)}, slowest ${slowest} ms, event loop ${Math.round(lowered.loopMs)} ms meanwhile; ${lock.writes} locks of another process, ${lock.failed} failed, slowest ${Math.round(lock.slowestMs)} ms; ${count} profiles after ${seconds.toFixed(1)} s; ${atFirst} MB before, ${megabytes()} MB after`,
    isMet:
      lowered.pages.failed === 0 &&
      (slowest ?? 0) <= (normal ?? 0) + 100 &&
      lock.failed === 0 &&
      count <= after &&
      megabytes() <= atFirst / 10,
  }
}

interface Measured {
  readonly pages: PageFigures
  readonly loopMs: number
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
