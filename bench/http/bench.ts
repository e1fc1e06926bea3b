// Measures servers against bare node:http: `node bench/http/bench.ts [--short] [--only='fanlight, off;fastify'] [--requests=static]
// [--rounds=9] [--starts=1] [--seconds=1] [--connections=64]`. One process per server on one core, wrk on the other, rounds
// interleaved, every server warmed before each measurement. Prints one table a request, in Markdown. The same server started
// twice differs by up to a quarter: `--starts=5` starts all anew five times and prints the ratios of each start at the end.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { baseline, findContestants } from './contestants.ts'
import { markdownTable, median, middleHalf, type Measured } from './figures.ts'
import { ServerProcess } from './server-process.ts'
import { requests, type BenchRequest } from './table.ts'
import { wrk } from './wrk.ts'

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    requests: { type: 'string', default: '' },
    rounds: { type: 'string' },
    starts: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
  },
})
const rounds = Number(flags.rounds ?? (flags.short ? 3 : 9))
const load = { core: 1, connections: Number(flags.connections), seconds: Number(flags.seconds) }
/** A round counts as clean when its server had this much of its core. */
const cleanShare = 0.9

if (availableParallelism() < 2) throw new Error('The bench needs two cores: one for the server, one for wrk')
const { contestants, absent } = findContestants()
const wanted = contestants.filter(({ name }) => name === baseline || isWanted(name, flags.only))
if (absent.length > 0)
  console.log(`Not installed, and so not measured: ${absent.join(', ')} (npm install --prefix bench)`)
/** Ratios of each start, by request and server. */
const ofStarts = new Map<string, number[]>()
for (let start = 0; start < Number(flags.starts); start += 1) await measureStart()
if (Number(flags.starts) > 1) printStarts()

async function measureStart(): Promise<void> {
  const servers = await Promise.all(wanted.map((contestant) => ServerProcess.start(contestant, 0)))
  try {
    for (const request of requests) if (isWanted(request.name, flags.requests)) await measureRequest(request, servers)
    console.log(`\nPeak memory: ${servers.map((one) => `${one.name} ${one.peakMegabytes().toFixed(0)} MB`).join(', ')}`)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function measureRequest(request: BenchRequest, servers: readonly ServerProcess[]): Promise<void> {
  for (const server of servers) {
    await checkAnswer(server, request)
    await wrk(server.url, request, { ...load, seconds: 2 })
  }
  const measured = new Map(servers.map((server) => [server, [] as Measured[]]))
  for (let round = 0; round < rounds; round += 1) {
    // Nobody is always the one that comes first.
    for (let turn = 0; turn < servers.length; turn += 1) {
      const server = servers[(turn + round) % servers.length]
      if (server !== undefined) measured.get(server)?.push(await measureOnce(server, request))
    }
  }
  print(request, measured)
}

async function measureOnce(server: ServerProcess, request: BenchRequest): Promise<Measured> {
  await wrk(server.url, request, { ...load, seconds: 1 })
  const before = server.processorTime()
  const startMs = performance.now()
  const result = await wrk(server.url, request, load)
  const elapsed = (performance.now() - startMs) * 1000
  const after = server.processorTime()
  if (result.errors > 0) console.error(`${server.name}, ${request.name}: ${result.errors} socket errors`)
  return {
    perSecond: result.perSecond,
    mainMicroseconds: (after.mainThread - before.mainThread) / result.requests,
    allMicroseconds: (after.all - before.all) / result.requests,
    p99Ms: result.p99Ms,
    share: (after.all - before.all) / elapsed,
  }
}

function print(request: BenchRequest, measured: ReadonlyMap<ServerProcess, readonly Measured[]>): void {
  const base = [...measured].find(([server]) => server.name === baseline)?.[1] ?? []
  const rows = [...measured].map(([server, list]) => {
    const ratios = list.map((one, round) => (base[round]?.allMicroseconds ?? Number.NaN) / one.allMicroseconds)
    const key = `${request.name} | ${server.name}`
    ofStarts.set(key, [...(ofStarts.get(key) ?? []), median(ratios)])
    const throughput = list.map((one, round) => one.perSecond / (base[round]?.perSecond ?? Number.NaN))
    return [
      server.name,
      median(ratios).toFixed(2),
      middleHalf(ratios, 2),
      median(list.map((one) => one.allMicroseconds)).toFixed(1),
      median(list.map((one) => one.mainMicroseconds)).toFixed(1),
      median(throughput).toFixed(2),
      Math.round(median(list.map((one) => one.perSecond))).toString(),
      median(list.map((one) => one.p99Ms)).toFixed(2),
      `${list.filter(({ share }) => share >= cleanShare).length}/${list.length}`,
    ]
  })
  console.log(`\n### ${request.name}: ${request.method} ${request.path} → ${request.status}\n`)
  console.log(
    markdownTable(['server', 'ratio', 'middle half', 'µs', 'µs main', 'ratio req/s', 'req/s', 'p99 ms', 'clean'], rows),
  )
}

function printStarts(): void {
  const rows = [...ofStarts].map(([key, ratios]) => {
    const [request = '', server = ''] = key.split(' | ')
    const sorted = ratios.toSorted((one, other) => one - other)
    return [request, server, median(ratios).toFixed(2), sorted.map((ratio) => ratio.toFixed(2)).join(', ')]
  })
  console.log(`\n### Ratios of ${flags.starts} starts\n`)
  console.log(markdownTable(['request', 'server', 'median', 'each'], rows))
}

/** A server that answers something else would be measured for nothing. */
async function checkAnswer(server: ServerProcess, request: BenchRequest): Promise<void> {
  const { method, path, body } = request
  const answer = await fetch(`${server.url}${path}`, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (answer.status !== request.status || !text.includes(request.holds)) {
    throw new Error(`${server.name} answers ${request.name} with ${answer.status}: ${text.slice(0, 200)}`)
  }
}

function isWanted(name: string, list: string): boolean {
  return list === '' || list.split(';').some((part) => name.includes(part.trim()))
}
