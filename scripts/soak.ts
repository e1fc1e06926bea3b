// A long load with recording on (SECURITY F38): `npm run soak`, or `npm run soak -- 100000` for fewer requests. Of the requests
// 10 % are errors and 1 % are broken off. Prints a line of figures every 50,000 (ten times in shorter runs), then the
// criteria; exits with 1 when one is missed. Only loopback.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEngine } from '../src/app/open-engine.ts'
import { runFile, type RunningProcess } from '../test/support/running-process.ts'
import { until } from '../test/support/until.ts'

/** What is seen after so many requests, at rest and after a collection of garbage. */
interface Sample {
  readonly requests: number
  readonly rss: number
  readonly heapUsed: number
  /** Handles but timers. */
  readonly handles: number
  readonly listeners: number
  readonly count: number
  readonly bytes: number
}

const clients = 32
const megabyte = 1024 * 1024
const total = Number(process.argv[2] ?? 1_000_000)
if (!Number.isSafeInteger(total) || total < 1000) {
  console.error(`"${process.argv[2]}" is not a number of requests; use an integer from 1000.`)
  process.exit(1)
}
const every = Math.min(50_000, Math.floor(total / 10))

const directory = mkdtempSync(join(tmpdir(), 'fanlight-soak-'))
const samplesPath = join(directory, 'samples')
const store = `sqlite:${join(directory, 'store.db')}`
const tally = { errors: 0, aborts: 0, unexpected: 0 }
const running = await runFile('app/main.ts', {
  APP_STORE: store,
  SOAK_SAMPLES: samplesPath,
  NODE_OPTIONS: `--import ${new URL('soak/sampler.mjs', import.meta.url).href}`,
})
running.child.stdout?.resume()
running.child.stderr?.resume()
const engine = await openEngine(store)
const { maxCount, maxBytes } = await engine.profiles.stats()
const samples: Sample[] = []
const started = performance.now()
let exitCode: number | null
try {
  console.log('| requests | RSS MB | heap MB | handles | listeners | profiles | store MB | requests/s |')
  console.log('|---|---|---|---|---|---|---|---|')
  for (let sent = 0; sent < total; sent += every) {
    const began = performance.now()
    const size = Math.min(every, total - sent)
    await send(running, sent, size)
    const sample = await takeSample(running, sent + size)
    samples.push(sample)
    console.log(describe(sample, (size / (performance.now() - began)) * 1000))
  }
} finally {
  await engine.close()
  exitCode = await running.end()
  rmSync(directory, { recursive: true, force: true })
}
judge()

/** Sends requests by all clients, each one after the other. */
async function send({ url }: RunningProcess, first: number, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  let next = first
  const client = async (): Promise<void> => {
    while (next < first + count) {
      const index = next
      next += 1
      const { method, path, status, isAborted } = requestOf(index)
      const seen = await ask(url + path, method, isAborted ? new Agent() : agent, isAborted)
      if (isAborted) tally.aborts += 1
      else if (seen !== status) tally.unexpected += 1
      else if (status >= 400) tally.errors += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
}

/** By number: 1 of 100 is broken off, 10 are errors, the others pages and JSON. */
function requestOf(index: number): { method: string; path: string; status: number; isAborted: boolean } {
  const turn = index % 100
  if (turn === 50) return { method: 'GET', path: '/demo/slow?ms=20', status: 200, isAborted: true }
  if (turn % 20 === 7) return { method: 'GET', path: `/nope/${index}?q=${index}`, status: 404, isAborted: false }
  if (turn % 20 === 17) return { method: 'DELETE', path: '/products', status: 405, isAborted: false }
  const path = turn % 3 === 0 ? '/products' : '/api/products'
  return { method: 'GET', path, status: 200, isAborted: false }
}

/** The status, or 0 when the connection broke, as it does for a client that breaks it off. */
function ask(url: string, method: string, agent: Agent, isAborted: boolean): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { method, agent, timeout: 30_000 }, (response) => {
      response.resume()
      response.on('error', () => resolve(0))
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', (error: Error & { code?: string }) => {
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && !isAborted
      // The server closed the kept connection just then: every client asks once more.
      resolve(isStale ? ask(url, method, new Agent(), false) : 0)
    })
    sent.end(() => {
      if (isAborted) setTimeout(() => sent.destroy(), 5)
    })
  })
}

async function takeSample({ child }: RunningProcess, requests: number): Promise<Sample> {
  const before = samples.length
  child.kill('SIGUSR2')
  await until(() => readSamples().length > before, 30_000)
  const figures = readSamples().at(-1) ?? ''
  const { count, bytes } = await engine.profiles.stats()
  return { requests, count, bytes, ...(JSON.parse(figures) as Omit<Sample, 'requests' | 'count' | 'bytes'>) }
}

function readSamples(): readonly string[] {
  return existsSync(samplesPath) ? readFileSync(samplesPath, 'utf8').trim().split('\n') : []
}

function describe({ requests, rss, heapUsed, handles, listeners, count, bytes }: Sample, rate: number): string {
  const cells = [
    requests,
    (rss / megabyte).toFixed(1),
    (heapUsed / megabyte).toFixed(1),
    handles,
    listeners,
    count,
    (bytes / megabyte).toFixed(1),
    Math.round(rate),
  ]
  return `| ${cells.join(' | ')} |`
}

function judge(): void {
  const last = samples.slice(Math.floor(samples.length * 0.4))
  const rss = slope(last, (sample) => sample.rss)
  const heap = slope(last, (sample) => sample.heapUsed)
  const early = samples.find(({ requests }) => requests >= Math.min(100_000, total / 5))?.rss ?? 0
  const peak = Math.max(...samples.map((sample) => sample.rss))
  const isConstant = (pick: (sample: Sample) => number): boolean => new Set(last.map(pick)).size === 1
  const criteria: readonly (readonly [criterion: string, seen: string, holds: boolean])[] = [
    [
      'RSS grows by <= 0.1 MB per 10,000 requests in the last 60 %',
      `${inMegabytes(rss)} (heap ${inMegabytes(heap)})`,
      rss <= megabyte / 10,
    ],
    [
      'largest RSS <= 2 x RSS early on',
      `${Math.round(peak / megabyte)} of ${Math.round(early / megabyte)} MB`,
      peak <= 2 * early,
    ],
    [
      'store within its bounds at every sample',
      `at most ${Math.max(...samples.map(({ count }) => count))} of ${maxCount} profiles`,
      samples.every(({ count, bytes }) => count <= maxCount && bytes <= maxBytes),
    ],
    [
      'handles and listeners constant',
      `${last.at(-1)?.handles} and ${last.at(-1)?.listeners}`,
      isConstant(({ handles }) => handles) && isConstant(({ listeners }) => listeners),
    ],
    [
      'every answer as it should be',
      `${tally.unexpected} others, ${tally.errors} errors, ${tally.aborts} broken off`,
      tally.unexpected === 0,
    ],
    ['ends with 0', String(exitCode), exitCode === 0],
  ]
  console.log(`\n${total} requests in ${Math.round((performance.now() - started) / 1000)} s`)
  for (const [criterion, seen, holds] of criteria) {
    console.log(`${holds ? 'holds' : 'FAILS'}  ${criterion}: ${seen}`)
    if (!holds) process.exitCode = 1
  }
}

/** Bytes per 10,000 requests by the method of least squares. */
function slope(points: readonly Sample[], pick: (sample: Sample) => number): number {
  const meanX = points.reduce((sum, { requests }) => sum + requests, 0) / points.length
  const meanY = points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const over = points.reduce((sum, point) => sum + (point.requests - meanX) * (pick(point) - meanY), 0)
  const under = points.reduce((sum, { requests }) => sum + (requests - meanX) ** 2, 0)
  return under === 0 ? 0 : (over / under) * 10_000
}

function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(3)} MB`
}
