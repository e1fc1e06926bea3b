// What storing profiles costs: `node bench/store/bench.ts [--rows=100000] [--million]`. Prints one table. Figures of the
// main thread are its CPU time (`process.threadCpuUsage`), so that the worker and other processes do not count.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openEngine } from '../../src/app/open-engine.ts'
import type { Engine } from '../../src/stores/engine.ts'
import { ProfileWriter } from '../../src/profiles/profile-writer.ts'
import { makePageProfile, makeProfile, makeToken } from '../../test/support/profiles.ts'

const { values: flags } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, million: { type: 'boolean' } },
})
const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-'))
const results: { readonly what: string; readonly figure: string }[] = []

const templates = Array.from({ length: 500 }, (_, index) => makePageProfile(index))
const size = templates.reduce((sum, profile) => sum + JSON.stringify(profile).length, 0) / templates.length
report('one profile', `${(size / 1000).toFixed(1)} KB of JSON`)

measureEncoding()
await measureWriting('memory:')
await measureWriting('sqlite:writing.db')
await measureReading(flags.million === true ? 1_000_000 : Number(flags.rows))
rmSync(directory, { recursive: true })
console.table(results.map(({ what, figure }) => ({ what, figure })))

/** What encoding alone costs: the part of storing that no design takes off the main thread. */
function measureEncoding(): void {
  const rounds = Array.from({ length: 6 }, () => {
    const before = mainThreadMicroseconds()
    for (let index = 0; index < 2000; index++) JSON.stringify({ ...templates[index % 500], token: makeToken() })
    return (mainThreadMicroseconds() - before) / 2000
  })
  report('JSON.stringify alone (median, best)', `${spread(rounds.slice(1), 'low')} µs`)
}

/** Profiles through the writer, five rounds of 2000; the best and the middle one count. */
async function measureWriting(storeUrl: string): Promise<void> {
  const engine = await openEngine(storeUrl, { directory })
  const writer = new ProfileWriter({ store: engine.profiles, maxQueued: 100_000, maxQueuedBytes: 2 ** 31 })
  const rounds: { readonly cpu: number; readonly perSecond: number }[] = []
  for (let round = 0; round < 6; round++) {
    const made = Array.from({ length: 2000 }, (_, index) => ({
      ...templates[index % 500]!,
      token: makeToken(),
      time: Date.now(),
    }))
    const cpuBefore = mainThreadMicroseconds()
    const before = performance.now()
    for (const [index, profile] of made.entries()) {
      writer.enqueue(profile)
      // As in a server, where the requests of one turn of the event loop are few, and which the store keeps up with.
      if (index % 8 === 7) await new Promise(setImmediate)
      if (writer.stats.queued >= 64) await writer.flush()
    }
    await writer.flush()
    const seconds = (performance.now() - before) / 1000
    rounds.push({ cpu: (mainThreadMicroseconds() - cpuBefore) / made.length, perSecond: made.length / seconds })
  }
  const warm = rounds.slice(1)
  report(
    `${engine.name.split(':')[0]}: main thread per profile (median, best)`,
    `${spread(
      warm.map(({ cpu }) => cpu),
      'low',
    )} µs`,
  )
  report(
    `${engine.name.split(':')[0]}: profiles per second (median, best)`,
    spread(
      warm.map(({ perSecond }) => perSecond),
      'high',
    ),
  )
  const { count, bytes } = await engine.profiles.stats()
  report(`${engine.name.split(':')[0]}: bytes counted per profile`, (bytes / count).toFixed(0))
  await measureReads(engine)
  await writer.close(5000)
  await engine.close()
  if (storeUrl !== 'memory:') {
    report('sqlite: bytes of the file per profile', (statSync(join(directory, 'writing.db')).size / count).toFixed(0))
  }
}

async function measureReads(engine: Engine): Promise<void> {
  const name = engine.name.split(':')[0]
  const { items } = await engine.profiles.find({}, { limit: 200 })
  report(
    `${name}: read by token`,
    await timed(500, (index) => engine.profiles.read(items[index % items.length]?.token ?? '')),
  )
  const records = engine.collection('records')
  await records.write({ EUR: { rate: '1' } })
  report(`${name}: record by key`, await timed(1000, () => records.read('EUR')))
  const cpuBefore = mainThreadMicroseconds()
  for (let round = 0; round < 200; round++) {
    await Promise.all(Array.from({ length: 20 }, () => records.read('EUR')))
  }
  report(
    `${name}: record by key, 20 at once, main thread each`,
    `${((mainThreadMicroseconds() - cpuBefore) / 4000).toFixed(1)} µs`,
  )
}

/** Lists out of many rows. */
async function measureReading(rows: number): Promise<void> {
  const engine = await openEngine('sqlite:reading.db', { directory, maxProfiles: 2_000_000, maxBytes: 2 ** 40 })
  for (let written = 0; written < rows; written += 1000) {
    await engine.profiles.write(
      Array.from({ length: 1000 }, (_, index) =>
        makeProfile({
          url: `http://127.0.0.1:8000/orders/${written + index}`,
          status: index === 500 && written % 10_000 === 0 ? 503 : index % 5 === 0 ? 404 : 200,
          parentToken: index % 5 === 1 ? makeToken() : null,
          route: `route_${index % 40}`,
          durationMs: index === 700 && written % 10_000 === 0 ? 900 : (index % 97) + 0.5,
        }),
      ),
    )
  }
  const { items, newest } = await engine.profiles.find({}, { limit: 1 })
  const label = `of ${rows.toLocaleString('en')}`
  report(`newest 50 ${label}`, await timed(200, () => engine.profiles.find({}, { limit: 50 })))
  report(
    `newest 50 with status 404 ${label}`,
    await timed(200, () => engine.profiles.find({ status: 404 }, { limit: 50 })),
  )
  report(
    `newest 50 with a rare 5xx ${label}`,
    await timed(100, () => engine.profiles.find({ status: '5xx' }, { limit: 50 })),
  )
  report(
    `newest 50 of one route ${label}`,
    await timed(200, () => engine.profiles.find({ route: 'route_7' }, { limit: 50 })),
  )
  report(
    `newest 50 slow ones, rare ${label}`,
    await timed(200, () => engine.profiles.find({ finding: 'slow' }, { limit: 50 })),
  )
  report(`what came after the newest ${label}`, await timed(200, () => engine.profiles.find({}, { newerThan: newest })))
  report(`by part of the URL, no hit ${label}`, await timed(21, () => engine.profiles.find({ url: 'nowhere' })))
  report(`by part of the URL, one hit ${label}`, await timed(21, () => engine.profiles.find({ url: '/orders/12345' })))
  report(`by two letters, no hit ${label}`, await timed(21, () => engine.profiles.find({ url: 'zq' })))
  report(`grouped by route, newest 10,000 ${label}`, await timed(11, () => engine.profiles.group({}, 'route')))
  report(`read by token ${label}`, await timed(200, () => engine.profiles.read(items[0]?.token ?? '')))
  await engine.close()
}

/** Median and 99th percentile of calls one after another. */
async function timed(count: number, call: (index: number) => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const before = performance.now()
    await call(index)
    times.push(performance.now() - before)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(3)
  return `${at(0.5)} ms (p99 ${at(0.99)})`
}

function spread(figures: readonly number[], best: 'low' | 'high'): string {
  const sorted = figures.toSorted((a, b) => (best === 'low' ? a - b : b - a))
  const show = (figure: number | undefined) => (figure ?? 0).toFixed((figure ?? 0) < 1000 ? 1 : 0)
  return `${show(sorted[Math.floor(sorted.length / 2)])}, ${show(sorted[0])}`
}

function mainThreadMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function report(what: string, figure: string): void {
  results.push({ what, figure })
}
