// Processes that are killed under load (F12), and several on one store (F37).

import { join } from 'node:path'
import { openEngine } from '../../src/app/open-engine.ts'
import { runFile } from '../../test/support/running-process.ts'
import { ask, describeLoad, isServed, startLoad, type FaultResult } from './fault.ts'
import { makePlace, percent, seconds } from './place.ts'

const kills = 50
/** Profiles that the store may hold: more than are written, so that none goes for want of room. */
const bound = 1_000_000
/** What of a finished request must be there after a kill that came this much later. */
const settledMs = 1000

/** F12: `kill -9` under load, 50 times at moments between 1.2 s and 2 s after the start. */
export async function killedUnderLoad(): Promise<FaultResult> {
  using place = makePlace()
  const store = `sqlite:${join(place.path, 'store.db')}`
  const read = new Set<string>()
  let finished = 0
  let kept = 0
  let lostAfterRead = 0
  let roundsWithLoss = 0
  for (let round = 0; round < kills; round += 1) {
    const running = await runFile('app/main.ts', { APP_STORE: store, APP_PROFILES_COUNT: String(bound) })
    const load = startLoad([running.url])
    await seconds(1.2 + Math.random() * 0.8)
    const killedAtMs = performance.now()
    await running.end('SIGKILL')
    const { tokens } = await load.stop()
    const engine = await openEngine(store)
    const settled = tokens.filter(({ atMs }) => atMs < killedAtMs - settledMs)
    const keptBefore = kept
    finished += settled.length
    for (const { token } of settled) {
      if ((await engine.profiles.read(token)) === undefined) continue
      kept += 1
      if (read.size < (round + 1) * 4) read.add(token)
    }
    if (kept - keptBefore < settled.length) roundsWithLoss += 1
    if (round % 10 === 9) {
      for (const token of read) if ((await engine.profiles.read(token)) === undefined) lostAfterRead += 1
      read.clear()
    }
    await engine.close()
  }
  return {
    fault: 'F12',
    title: `kill -9 under load, ${kills} times`,
    criterion: 'opens every time; >= 99.9 % of what ended > 1 s before is there; nothing read is lost',
    observed: `opened ${kills} of ${kills} times; ${kept} of ${finished} profiles there (${percent(kept, finished)}), some missing in ${roundsWithLoss} rounds; ${lostAfterRead} lost after they were read`,
    isMet: finished > 0 && kept / finished >= 0.999 && lostAfterRead === 0,
  }
}

/** F37: four processes on one store for 20 s. */
export async function fourProcesses(): Promise<FaultResult> {
  using place = makePlace()
  const store = `sqlite:${join(place.path, 'store.db')}`
  const four = await Promise.all(Array.from({ length: 4 }, () => runFile('app/main.ts', { APP_STORE: store })))
  const load = startLoad(four.map(({ url }) => url))
  await seconds(20)
  const figures = await load.stop()
  const { token } = await ask(`${four[0]?.url}/nope`)
  const exitCodes = await Promise.all(four.map((running) => running.end()))
  const engine = await openEngine(store)
  const stats = await engine.profiles.stats()
  const isThere = token !== undefined && (await engine.profiles.read(token)) !== undefined
  await engine.close()
  const isBounded = stats.count <= stats.maxCount * 1.1 && stats.bytes <= stats.maxBytes * 1.1
  return {
    fault: 'F37',
    title: 'four processes on one store, 20 s',
    criterion: 'all served; bounds kept within 10 %; exit 0',
    observed: `${describeLoad(figures)}; ${stats.count} profiles of at most ${stats.maxCount}; last one ${isThere ? 'there' : 'missing'}; exit codes ${exitCodes.join(' ')}`,
    isMet: isServed(figures) && isBounded && isThere && exitCodes.every((code) => code === 0),
  }
}
