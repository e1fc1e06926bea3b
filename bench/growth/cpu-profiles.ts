// Says what bends a curve: runs its first and its last point under the processor profiler of Node, all threads, and prints the
// functions whose cost for one request differs most between the two.

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { markdownTable } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { sendPaced } from '../recording/paced.ts'
import type { Curve, Point } from './curves.ts'
import { measureWithin } from './window.ts'

/** The part of a `.cpuprofile` that is read. Times are in microseconds. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly endTime: number
  readonly startTime: number
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** Microseconds of one request, by function. */
type Costs = ReadonlyMap<string, number>

const runs = 3
const shownRows = 14
/** What a profile holds before is starting and warming, and is not read. */
const readMicroseconds = runs * 1_800_000

/** Prints one table a series. The profiles lie in the directory, which the caller takes away. */
export async function printProfiles(curve: Curve, directory: string): Promise<void> {
  for (const { name, points } of curve.series) {
    const [first, last] = [points[0], points.at(-1)]
    if (first === undefined || last === undefined) continue
    const before = await costsOf(first, directory)
    const after = await costsOf(last, directory)
    const rows = [...new Set([...before.keys(), ...after.keys()])]
      .map((place) => ({ place, from: before.get(place) ?? 0, to: after.get(place) ?? 0 }))
      .toSorted((one, other) => Math.abs(other.to - other.from) - Math.abs(one.to - one.from))
      .slice(0, shownRows)
      .map(({ place, from, to }) => [place, from.toFixed(2), to.toFixed(2), (to - from).toFixed(2)])
    console.log(`\n### ${curve.across}: ${name}, own time of functions, µs a request\n`)
    console.log(markdownTable(['function', first.label, last.label, 'more'], rows))
  }
}

async function costsOf(point: Point, directory: string): Promise<Costs> {
  const into = mkdtempSync(join(directory, 'cpu-'))
  const flags = ['--cpu-prof', `--cpu-prof-dir=${into}`]
  const servers: ServerProcess[] = []
  const used: number[] = []
  try {
    for (const [index, contestant] of point.servers.entries())
      servers.push(await ServerProcess.start(contestant, index % 2, flags))
    for (const { url } of servers) await sendPaced(url, '/api/status', { perSecond: 2000, connections: 16, seconds: 2 })
    for (let run = 0; run < runs; run += 1) {
      const window = { settled: point.settled, windowMs: 1000 }
      const one = await measureWithin(servers, () => point.load(servers), window)
      if (one !== undefined) used.push(one.allMicroseconds / one.answered)
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
  const perRequest = used.reduce((sum, one) => sum + one, 0) / used.length
  return shareOut(readProfiles(into), perRequest)
}

/** The share of each function of the busy time, as a part of what a request costs. */
function shareOut(profiles: readonly CpuProfile[], perRequest: number): Costs {
  const times = new Map<string, number>()
  let busy = 0
  for (const profile of profiles) {
    const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
    let at = profile.startTime
    for (const [index, id] of profile.samples.entries()) {
      const delta = profile.timeDeltas[index] ?? 0
      at += delta
      const frame = frames.get(id)
      if (frame === undefined || frame.functionName === '(idle)' || profile.endTime - at > readMicroseconds) continue
      busy += delta
      times.set(placeOf(frame), (times.get(placeOf(frame)) ?? 0) + delta)
    }
  }
  return new Map([...times].map(([place, time]) => [place, (time / busy) * perRequest]))
}

function placeOf({ functionName, url }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${basename(url)}`
}

function readProfiles(directory: string): readonly CpuProfile[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'))
  return files.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as CpuProfile)
}
