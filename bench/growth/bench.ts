// Measures how the cost of a request grows with routes, connections, profiles in the store and processes on it: `npm run
// bench:growth [-- --only=routes;store --rounds=5 --profiles]`. All points of a curve are measured in turn in each round and
// compared with the first point of the same round. Prints tables and draws one picture a curve into this folder.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Contestant } from '../http/contestants.ts'
import { markdownTable, median, middleHalf } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { sendPaced } from '../recording/paced.ts'
import { drawChart, type ChartPoint } from './chart.ts'
import { makeCurves, type Curve, type Point, type Series } from './curves.ts'
import { hasPerf, printSamples } from './perf-samples.ts'
import { measureIdle, measureWithin, type Used } from './window.ts'

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    profiles: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const windowMs = 800

if (flags.profiles && !hasPerf()) throw new Error('--profiles needs the tool perf, which is not here')
const startedMs = performance.now()
const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-growth-'))
try {
  const wanted = flags.only.split(';').filter((name) => name !== '')
  const curves = await makeCurves(directory, wanted)
  tell('Stores filled')
  for (const curve of curves) {
    if (flags.profiles) await printSamples(curve, directory)
    else await measureCurve(curve)
    tell(`Curve "${curve.name}" done`)
  }
} finally {
  rmSync(directory, { recursive: true })
}

async function measureCurve(curve: Curve): Promise<void> {
  const running = new Map<Contestant, ServerProcess>()
  try {
    for (const point of curve.series.flatMap(({ points }) => points)) {
      for (const [index, contestant] of point.servers.entries()) {
        // Processes that share a store run on both cores, so that they meet.
        if (!running.has(contestant)) running.set(contestant, await ServerProcess.start(contestant, index % 2))
      }
    }
    const serversOf = (point: Point): ServerProcess[] =>
      point.servers.flatMap((contestant) => running.get(contestant) ?? [])
    await warm(curve, serversOf)
    const measured = await measureRounds(curve, serversOf)
    const charts = curve.series.map((series) => ({ name: series.name, points: print(curve, series, measured) }))
    if (curve.series.some(({ isRecording }) => isRecording)) await printIdle(curve, serversOf)
    draw(curve, charts)
  } finally {
    await Promise.all([...running.values()].map((server) => server.stop()))
  }
}

async function measureRounds(
  curve: Curve,
  serversOf: (point: Point) => ServerProcess[],
): Promise<ReadonlyMap<Point, readonly (Used | undefined)[]>> {
  const points = curve.series.flatMap((series) => series.points)
  const measured = new Map(points.map((point) => [point, [] as (Used | undefined)[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < points.length; turn += 1) {
      const point = points[(turn + round) % points.length]
      if (point === undefined) continue
      const servers = serversOf(point)
      const start = (): Promise<unknown> => point.load(servers)
      await point.prepare?.()
      const window = { settled: point.settled, windowMs }
      const used = (await measureWithin(servers, start, window)) ?? (await measureWithin(servers, start, window))
      measured.get(point)?.push(used)
    }
  }
  return measured
}

/** Prints the table of a series, and gives what is drawn of it. */
function print(
  curve: Curve,
  { name, isRecording, points }: Series,
  measured: ReadonlyMap<Point, readonly (Used | undefined)[]>,
): readonly ChartPoint[] {
  const first = points[0] === undefined ? [] : (measured.get(points[0]) ?? [])
  const drawn: ChartPoint[] = []
  const rows = points.map((point) => {
    const list = measured.get(point) ?? []
    const here = list.filter((used) => used !== undefined)
    const ratios = ratiosOf(list, first, cost)
    const throughput = ratiosOf(list, first, perSecond)
    const [low, high] = middleHalf(ratios, 3).split('–').map(Number)
    drawn.push({ label: point.label, low: low ?? 0, middle: median(ratios), high: high ?? 0 })
    return [
      point.label,
      median(ratios).toFixed(2),
      middleHalf(ratios, 2),
      median(here.map(cost)).toFixed(1),
      median(here.map((used) => used.mainMicroseconds / used.answered)).toFixed(1),
      ...(isRecording ? [] : [median(throughput).toFixed(2), middleHalf(throughput, 2)]),
      median(here.map(perSecond)).toFixed(0),
      `${here.length}/${rounds}`,
    ]
  })
  const head = [curve.across, 'ratio of µs', 'middle half', 'µs', 'µs main']
  const ratioHead = isRecording ? [] : ['ratio req/s', 'middle half']
  console.log(`\n### ${curve.across}: ${name}\n`)
  console.log(markdownTable([...head, ...ratioHead, 'req/s', 'rounds'], rows))
  return drawn
}

async function printIdle(curve: Curve, serversOf: (point: Point) => ServerProcess[]): Promise<void> {
  const points = curve.series.filter(({ isRecording }) => isRecording).flatMap((series) => series.points)
  const groups = new Map(points.map((point) => [serversOf(point)[0], point]))
  // One server that serves every point has nothing to compare.
  if (groups.size < 2) return
  const rows: string[][] = []
  for (const point of groups.values()) {
    const used = await measureIdle(serversOf(point), windowMs)
    rows.push([point.label, (used.allMicroseconds / used.elapsedMs).toFixed(2)])
  }
  console.log(`\n${markdownTable([curve.across, 'idle, ms a second'], rows)}`)
}

function draw(
  { name, across, series }: Curve,
  drawn: readonly { name: string; points: readonly ChartPoint[] }[],
): void {
  const svg = drawChart({
    title: `Processor time a request against ${across}`,
    across,
    up: 'times that of the first point',
    labels: series[0]?.points.map(({ label }) => label) ?? [],
    series: drawn,
  })
  writeFileSync(new URL(`${name}.svg`, import.meta.url), svg)
}

/** Each server once, long enough for the compiler to have seen everything. */
async function warm({ series }: Curve, serversOf: (point: Point) => ServerProcess[]): Promise<void> {
  const warmed = new Set<ServerProcess>()
  for (const { isRecording, points } of series) {
    for (const point of points) {
      const cold = serversOf(point).filter((server) => !warmed.has(server))
      if (!isRecording && cold.length > 0) await point.load(cold)
      for (const server of cold) {
        warmed.add(server)
        if (isRecording) await sendPaced(server.url, '/api/status', { perSecond: 2000, connections: 16, seconds: 1.5 })
      }
    }
  }
}

function ratiosOf(
  list: readonly (Used | undefined)[],
  first: readonly (Used | undefined)[],
  figure: (used: Used) => number,
): readonly number[] {
  return list.flatMap((used, round) => {
    const base = first[round]
    return used === undefined || base === undefined ? [] : figure(used) / figure(base)
  })
}

function cost(used: Used): number {
  return used.allMicroseconds / used.answered
}

function perSecond(used: Used): number {
  return (used.answered / used.elapsedMs) * 1000
}

function tell(what: string): void {
  console.error(`${what}, after ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
}
