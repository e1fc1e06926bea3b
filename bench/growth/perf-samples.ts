// Says what bends a curve: runs its first and its last point under `perf`, which samples all threads while they are on a
// processor, in the system's code too, and prints what differs most for one request. Needs Linux and the `perf` tool.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { markdownTable } from '../http/figures.ts'
import { ServerProcess } from '../http/server-process.ts'
import { sendPaced } from '../recording/paced.ts'
import type { Curve, Point } from './curves.ts'
import { measureWithin } from './window.ts'

/** Microseconds of one request, by what they went to. */
type Costs = ReadonlyMap<string, number>

const runs = 4
const shownRows = 14
const run = promisify(execFile)

/** Prints two tables a series: by thread, and by function. Samples lie in the directory, which the caller takes away. */
export async function printSamples(curve: Curve, directory: string): Promise<void> {
  for (const { name, points } of curve.series) {
    const [first, last] = [points[0], points.at(-1)]
    if (first === undefined || last === undefined) continue
    const before = await sample(first, directory)
    const after = await sample(last, directory)
    console.log(`\n### ${curve.across}: ${name}, µs a request\n`)
    for (const part of ['threads', 'functions'] as const) {
      const rows = [...new Set([...before[part].keys(), ...after[part].keys()])]
        .map((place) => ({ place, from: before[part].get(place) ?? 0, to: after[part].get(place) ?? 0 }))
        .toSorted((one, other) => Math.abs(other.to - other.from) - Math.abs(one.to - one.from))
        .slice(0, shownRows)
        .map(({ place, from, to }) => [place, from.toFixed(1), to.toFixed(1), (to - from).toFixed(1)])
      console.log(`${markdownTable([part, first.label, last.label, 'more'], rows)}\n`)
    }
  }
}

async function sample(
  point: Point,
  directory: string,
): Promise<{ readonly threads: Costs; readonly functions: Costs }> {
  const file = join(mkdtempSync(join(directory, 'perf-')), 'perf.data')
  const servers: ServerProcess[] = []
  const used: number[] = []
  try {
    for (const [index, contestant] of point.servers.entries())
      servers.push(await ServerProcess.start(contestant, index % 2, ['--perf-basic-prof']))
    for (const { url } of servers) await sendPaced(url, '/api/status', { perSecond: 2000, connections: 16, seconds: 2 })
    const pids = servers.map(({ pid }) => pid).join()
    const perf = spawn('perf', ['record', '-q', '-e', 'cpu-clock', '-F', '1999', '-p', pids, '-o', file], {
      stdio: 'ignore',
    })
    const ended = once(perf, 'exit')
    for (let count = 0; count < runs; count += 1) {
      const window = { settled: point.settled, windowMs: 800 }
      const one = await measureWithin(servers, () => point.load(servers), window)
      if (one !== undefined) used.push(one.allMicroseconds / one.answered)
    }
    perf.kill('SIGINT')
    await ended
    const { stdout } = await run('perf', ['script', '-i', file, '-F', 'comm,ip,sym,dso'], { maxBuffer: 2 ** 28 })
    return shareOut(stdout, used.reduce((sum, one) => sum + one, 0) / used.length)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    // The names of compiled functions, which Node writes where perf looks for them.
    for (const { pid } of servers) rmSync(`/tmp/perf-${pid}.map`, { force: true })
  }
}

/** The share of each thread and function of the samples, as a part of what a request costs. */
function shareOut(script: string, perRequest: number): { readonly threads: Costs; readonly functions: Costs } {
  const samples = [...script.matchAll(/^\s*(\S.*?)\s+[0-9a-f]{6,}\s+(.+)\s+\((.*)\)$/gm)]
  const each = perRequest / samples.length
  const threads = new Map<string, number>()
  const functions = new Map<string, number>()
  for (const [, thread = '', symbol = '', object = ''] of samples) {
    const place = object.startsWith('[kernel') ? 'system' : 'own'
    add(threads, `${thread}, ${place}`, each)
    add(functions, `${nameOf(symbol)}${place === 'system' ? ' (system)' : ''}`, each)
  }
  return { threads, functions }
}

/** `JS:*json file:///…/reply.ts:12:3` as `json reply.ts`. */
function nameOf(symbol: string): string {
  const script = /^\w+:[~^*+']?(\S*) (\S+?)(?::\d+)*$/.exec(symbol)
  return script === null
    ? symbol.slice(0, 60)
    : `${script[1] === '' ? '(anonymous)' : script[1]} ${basename(script[2] ?? '')}`
}

function add(costs: Map<string, number>, place: string, microseconds: number): void {
  costs.set(place, (costs.get(place) ?? 0) + microseconds)
}

/** Whether there is a `perf` to run. */
export function hasPerf(): boolean {
  try {
    execFileSync('perf', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
