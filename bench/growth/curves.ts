// The four curves: what grows, which servers serve each point, and how they are asked. Recording off is measured at saturation,
// recording on at a steady pace below it, where nothing is dropped.

import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openEngine } from '../../src/app/open-engine.ts'
import type { Contestant } from '../http/contestants.ts'
import type { ServerProcess } from '../http/server-process.ts'
import { requests, type BenchRequest } from '../http/table.ts'
import { wrk } from '../http/wrk.ts'
import { sendPaced } from '../recording/paced.ts'
import { fillStores } from './fill-store.ts'

/** One point of a series. Servers that are in several points are started once. */
export interface Point {
  /** What the x axis says. */
  readonly label: string
  readonly servers: readonly Contestant[]
  /** Asks for longer than the window is. */
  readonly load: (servers: readonly ServerProcess[]) => Promise<unknown>
  /** Responses after which every connection is open. */
  readonly settled: number
  /** Done before each measurement. */
  readonly prepare?: () => Promise<unknown>
}

/** Points that are compared with the first of them. */
export interface Series {
  readonly name: string
  readonly isRecording: boolean
  readonly points: readonly Point[]
}

/** One picture. */
export interface Curve {
  /** Name of the file and of the flag. */
  readonly name: string
  readonly across: string
  readonly series: readonly Series[]
}

const off = { APP_ENV: 'prod', APP_DEBUG: '0', APP_STORE: 'memory:' }
const on = {
  APP_ENV: 'dev',
  APP_DEBUG: '1',
  APP_STORE: 'sqlite:bench.db',
  APP_PROFILES_COUNT: '2000000',
  APP_PROFILES_MEGABYTES: '100000',
}
/** Requests a second with recording on. */
export const perSecond = 400
const pacedSeconds = 1.4

/** The curves whose name is in the list (all: an empty one); stores are filled in the directory only when they are needed. */
export async function makeCurves(directory: string, wanted: readonly string[]): Promise<readonly Curve[]> {
  const makers = { routes, connections, store: () => store(directory), processes: () => processes(directory) }
  const unknown = wanted.filter((name) => !Object.hasOwn(makers, name))
  if (unknown.length > 0) throw new Error(`--only=${unknown.join()}; allowed: ${Object.keys(makers).join(', ')}`)
  const made: Curve[] = []
  for (const [name, make] of Object.entries(makers)) {
    if (wanted.length === 0 || wanted.includes(name)) made.push(await make())
  }
  return made
}

function routes(): Curve {
  const points = [10, 50, 500, 5000].map((count) =>
    atSaturation(label(count), contestant(off, `--routes=${count}`), 64),
  )
  return { name: 'routes', across: 'number of routes', series: [{ name: 'recording off', isRecording: false, points }] }
}

function connections(): Curve {
  const counts = [1, 8, 64, 256, 1000]
  const plain = contestant(off)
  const recording = contestant(on)
  return {
    name: 'connections',
    across: 'concurrent connections',
    series: [
      {
        name: 'recording off, at saturation',
        isRecording: false,
        points: counts.map((count) => atSaturation(label(count), plain, count)),
      },
      {
        name: `recording on, ${perSecond} requests a second`,
        isRecording: true,
        points: counts.map((count) => atPace(label(count), [recording], count)),
      },
    ],
  }
}

async function store(directory: string): Promise<Curve> {
  const sizes = [0, 10_000, 100_000, 1_000_000]
  const paths = await fillStores(directory, sizes)
  const points = (isFull: boolean): readonly Point[] =>
    sizes.flatMap((size, index) => {
      const path = paths[index] ?? ''
      if (!isFull) {
        const servers = [contestant({ ...on, APP_STORE: `sqlite:${path}` })]
        return atPace(label(size), servers, 16, size === 0 ? () => emptyStore(path) : undefined)
      }
      if (size === 0) return []
      const copy = join(directory, `full-${size}.db`)
      copyFileSync(path, copy)
      const env = { ...on, APP_STORE: `sqlite:${copy}`, APP_PROFILES_COUNT: String(size) }
      return atPace(label(size), [contestant(env)], 16)
    })
  return {
    name: 'store',
    across: 'profiles in the store',
    series: [
      { name: 'room for more', isRecording: true, points: points(false) },
      { name: 'full, the oldest go', isRecording: true, points: points(true) },
    ],
  }
}

/** What warming and former rounds have written goes, so that the store of no profiles has none. */
async function emptyStore(path: string): Promise<void> {
  const engine = await openEngine(`sqlite:${path}`, { directory: dirname(path) })
  await engine.profiles.purge()
  await engine.close()
}

function processes(directory: string): Curve {
  const points = (isShared: boolean): readonly Point[] =>
    [1, 2, 4].map((count) => {
      const servers = Array.from({ length: count }, (_, index) => {
        const path = join(directory, isShared ? `shared-by-${count}.db` : `own-${index}-of-${count}.db`)
        return contestant({ ...on, APP_STORE: `sqlite:${path}` })
      })
      return atPace(label(count), servers, 16)
    })
  return {
    name: 'processes',
    across: 'processes',
    series: [
      { name: `on one store, ${perSecond} requests a second in all`, isRecording: true, points: points(true) },
      { name: 'the same with a store each', isRecording: true, points: points(false) },
    ],
  }
}

function atSaturation(name: string, server: Contestant, count: number): Point {
  return {
    label: name,
    servers: [server],
    settled: Math.max(500, 3 * count),
    load: (all) =>
      Promise.all(all.map(({ url }) => wrk(url, staticJson(), { core: 1, connections: count, seconds: 2 }))),
  }
}

function atPace(name: string, servers: readonly Contestant[], count: number, prepare?: () => Promise<unknown>): Point {
  const pace = { perSecond: perSecond / servers.length, connections: count / servers.length, seconds: pacedSeconds }
  return {
    label: name,
    servers,
    settled: perSecond * 0.1,
    ...(prepare === undefined ? {} : { prepare }),
    load: (all) => Promise.all(all.map(({ url }) => sendPaced(url, '/api/status', pace))),
  }
}

function staticJson(): BenchRequest {
  const request = requests.find(({ name }) => name === 'static JSON')
  if (request === undefined) throw new Error('The http bench has no request "static JSON"')
  return request
}

function contestant(env: Readonly<Record<string, string>>, ...args: string[]): Contestant {
  return { name: 'growth', file: fileURLToPath(new URL('server.ts', import.meta.url)), args, env }
}

function label(count: number): string {
  return count.toLocaleString('en')
}
