// Which functions a request spent its time in, and which allocated memory while it ran: only of requests that asked for it.

import { rounded } from './time.ts'
import { pathToFileURL } from 'node:url'
import { StackFrames } from '../../errors/stack-frames.ts'
import { allocationsName, type AllocatedBytes, type Allocations } from '../../measuring/function-profiles.ts'
import type { CpuCall, CpuFunction, CpuTree } from '../../measuring/function-profiles.ts'
import { cpuCallsName, type CpuCalls } from '../../measuring/request-meter.ts'
import type { BuiltInCollector, RecordedRoute } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'

export interface CpuFunctionData {
  /** `(anonymous)` if it has no name. */
  readonly name: string
  /** Relative to the project: `src/prices.ts`; empty for what V8 did itself. */
  readonly file: string
  /** From 1; 0 if it is not known. */
  readonly line: number
  readonly column: number
  readonly origin: 'own' | 'dependency' | 'node'
}

export interface CpuData extends Omit<CpuTree, 'functions'>, Omit<CpuCalls, 'tree'> {
  readonly functions: readonly CpuFunctionData[]
}

const origins: readonly CpuFunctionData['origin'][] = ['own', 'dependency', 'node']

/** Own code first: it is what can be changed. */
function byOrigin(one: CpuFunctionData, other: CpuFunctionData): number {
  return origins.indexOf(one.origin) - origins.indexOf(other.origin)
}

/** Gathers them. `projectRoot` is absolute. */
export function cpuCollector(projectRoot: string): BuiltInCollector<CpuData> {
  const frames = new StackFrames(projectRoot)
  return {
    name: cpuCallsName,
    collect: ({ route, parts: { cpu } }) => {
      if (cpu === undefined) return undefined
      const { tree, startTookMs, stopTookMs } = cpu
      return {
        ...tree,
        functions: withHandler(tree.functions, route).map((called) => nameFunction(called, frames)),
        calls: tree.calls.map(({ parent, of, selfMs, totalMs }) => ({
          parent,
          of,
          selfMs: rounded(selfMs),
          totalMs: rounded(totalMs),
        })),
        startTookMs: rounded(startTookMs),
        stopTookMs: rounded(stopTookMs),
      }
    },
    cut: cutCalls,
  }
}

/** Lines below the one that adds a route in which its handler may begin. */
const handlerLines = 10

/** Gives the handler of the route its name: most are arrow functions, which V8 knows none of. */
function withHandler<Called extends CpuFunction>(
  functions: readonly Called[],
  route: RecordedRoute | null,
): readonly Called[] {
  const place = route?.definedAt ?? null
  if (route === null || place === null) return functions
  const file = place.file.includes('://') ? place.file : pathToFileURL(place.file).href
  const [handler] = functions
    .filter(({ name, location, line }) => {
      const below = line - place.line
      return name === '' && location === file && below >= 0 && below <= handlerLines
    })
    .toSorted((one, other) => one.line - other.line || one.column - other.column)
  return functions.map((one) => (one === handler ? { ...one, name: `handler of ${route.name}` } : one))
}

/** Where a function is: own, of a dependency, or of Node. */
function nameFunction({ name, location, line, column }: CpuFunction, frames: StackFrames): CpuFunctionData {
  const shown = (name === '' ? '(anonymous)' : name).slice(0, 200)
  if (location === '') return { name: shown, file: '', line: 0, column: 0, origin: 'node' }
  const [frame] = frames.read(`    at ${location}:${line}:${column}`, '', { maxFrames: 1, maxExcerpts: 0 })
  if (frame === undefined) return { name: shown, file: location.slice(0, 300), line, column, origin: 'dependency' }
  return {
    name: shown,
    file: frame.file,
    line: frame.line ?? line,
    column: frame.column ?? column,
    origin: frame.origin,
  }
}

/** Leaves out the shortest calls with everything below them. */
function cutCalls(data: CpuData, maxBytes: number): CpuData {
  const functionBytes = Buffer.byteLength(JSON.stringify(data.functions))
  const bytesOfCall = 60
  const room = Math.max(0, Math.floor((maxBytes - functionBytes - 500) / bytesOfCall))
  const longest = new Set(
    [...data.calls.keys()]
      .sort((one, other) => (data.calls[other]?.totalMs ?? 0) - (data.calls[one]?.totalMs ?? 0) || one - other)
      .slice(0, room),
  )
  const places = new Map<number, number>([[-1, -1]])
  const calls: CpuCall[] = []
  for (const [index, call] of data.calls.entries()) {
    const parent = places.get(call.parent)
    if (!longest.has(index) || parent === undefined) continue
    places.set(index, calls.push({ ...call, parent }) - 1)
  }
  return { ...data, calls, droppedCalls: data.droppedCalls + data.calls.length - calls.length }
}

export interface MemoryData extends Omit<Allocations, 'functions'> {
  readonly functions: readonly (CpuFunctionData & Readonly<AllocatedBytes>)[]
}

/** `projectRoot` is absolute. */
export function memoryCollector(projectRoot: string): BuiltInCollector<MemoryData> {
  const frames = new StackFrames(projectRoot)
  return {
    name: allocationsName,
    collect: ({ route, parts: { allocations } }) => {
      if (allocations === undefined) return undefined
      const functions = withHandler(allocations.functions, route).map((one) =>
        Object.assign(nameFunction(one, frames), { selfBytes: one.selfBytes, totalBytes: one.totalBytes }),
      )
      functions.sort(
        (one, other) => byOrigin(one, other) || other.selfBytes - one.selfBytes || other.totalBytes - one.totalBytes,
      )
      return { ...allocations, functions }
    },
    cut: (data, maxBytes) => {
      const functions = cutList(data.functions, maxBytes)
      return { ...data, functions, dropped: data.dropped + data.functions.length - functions.length }
    },
  }
}
