// How sources report queries of the running request, with the line that sent them.

import { libraryRoot as ownLibraryRoot } from '../../framework/config/own-package.ts'
import { frameFile, libraryFile, normalizeRoot, type FrameFile } from '../../errors/frame-file.ts'
import { StackFrames } from '../../errors/stack-frames.ts'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Recording } from '../../framework/recording/recording.ts'
import { noteFailure } from './channels.ts'
import { databaseName, type Queries, type QueryStart, type RunningQuery } from './queries.ts'

/** Captures the stack of the caller, at most `maxFrames` frames. */
export function markCallSite(maxFrames: number): Error {
  const usual = Error.stackTraceLimit
  setLimit(maxFrames)
  const mark = new Error()
  setLimit(usual)
  return mark
}

/** Whose code a file is; this library's counts as Node's. */
type Owner = FrameFile['origin']

/** Files and places to remember. */
const maxPlaces = 1000

/** Names call sites of one project. */
export class CallSites {
  readonly #projectRoot: string
  readonly #libraryRoot: string
  readonly #frames: StackFrames
  readonly #names = new Map<string, string>()
  readonly #owners = new Map<string, Owner>()

  /** `projectRoot` is absolute. Code in `libraryRoot` is never the application's own. */
  constructor(projectRoot: string, libraryRoot: string = ownLibraryRoot()) {
    this.#projectRoot = normalizeRoot(projectRoot)
    this.#libraryRoot = normalizeRoot(libraryRoot)
    this.#frames = new StackFrames(projectRoot)
  }

  /**
   * The innermost frame of the application's own code, `src/prices.ts:12`; without one, that of a dependency; `null` without
   * either. Never throws.
   */
  find(mark: Error): string | null {
    let dependency: string | null = null
    for (const frame of framesOf(mark)) {
      const location = frame.getFileName() ?? ''
      const owner = this.#ownerOf(location)
      if (owner === 'own') return this.#name(location, frame)
      if (owner === 'dependency') dependency ??= this.#name(location, frame)
    }
    return dependency
  }

  #ownerOf(location: string): Owner {
    const known = this.#owners.get(location)
    if (known !== undefined) return known
    const isOurs = location === '' || location.startsWith('node:') || libraryFile(location, this.#libraryRoot) !== null
    const owner = isOurs ? 'node' : frameFile(location, this.#projectRoot).origin
    if (this.#owners.size >= maxPlaces) this.#owners.clear()
    this.#owners.set(location, owner)
    return owner
  }

  #name(location: string, call: NodeJS.CallSite): string {
    const place = `${location}:${call.getLineNumber() ?? 0}:${call.getColumnNumber() ?? 0}`
    const known = this.#names.get(place)
    if (known !== undefined) return known
    const [frame] = this.#frames.read(`    at ${place}`, '', { maxFrames: 1, maxExcerpts: 0 })
    const name = frame === undefined ? place : `${frame.file}:${frame.line}`
    if (this.#names.size >= maxPlaces) this.#names.clear()
    this.#names.set(place, name)
    return name
  }
}

/** The frames of a stack as V8 holds them. `prepareStackTrace` is restored before other code can run. */
function framesOf(mark: Error): readonly NodeJS.CallSite[] {
  const usual = Error.prepareStackTrace
  try {
    Error.prepareStackTrace = (_error, frames) => frames
    const frames: unknown = mark.stack
    // A stack that was read before is text.
    return isFrameList(frames) ? frames : []
  } catch {
    return []
  } finally {
    Reflect.set(Error, 'prepareStackTrace', usual)
  }
}

function isFrameList(frames: unknown): frames is readonly NodeJS.CallSite[] {
  return Array.isArray(frames)
}

function setLimit(limit: number): void {
  try {
    Error.stackTraceLimit = limit
  } catch {
    // A frozen Error keeps its own limit.
  }
}

/** Key under which a recording keeps the capture of its application. */
export const ownerName = 'capture'

/** Keeps the queries of one application's requests. */
export interface QueryOwner {
  /** Adds a query of the running request; `undefined` if it is not to be kept. */
  beginQuery(start: () => QueryStart): RunningQuery | undefined
  /** Queries of a recording of this application. */
  queriesOf(recording: Recording): Queries
}

/** The recording of a request; `undefined` once the response was sent: what runs later is not part of it. */
export function openRecording(exchange: Exchange | undefined): Recording | undefined {
  return exchange === undefined || exchange.sent !== undefined ? undefined : exchange.recording
}

/**
 * Reports a query that starts now, in the request that is running. `start` is called only if the query is recorded; if it
 * throws, the profile gets a note. Never throws.
 */
export function beginQuery(start: () => QueryStart): RunningQuery | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  try {
    // Only a capture keeps itself under this name.
    return (recording.kept(ownerName) as QueryOwner | undefined)?.queriesOf(recording).begin(start)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return undefined
  }
}

/** Stack frames to capture if the application calls the observed object directly. */
export const stackFrames = 12
/** Stack frames to capture if other libraries are in between. */
export const deepStackFrames = 26

/**
 * Runs a call and reports it as a query. Results and errors pass through unchanged, promises too. `rowsOf` reads the number of
 * rows from the result.
 */
export function observeCall<Result>(
  start: () => QueryStart,
  call: () => Result,
  rowsOf: (result: unknown) => number | null,
): Result {
  const query = beginQuery(start)
  if (query === undefined) return call()
  let result: Result
  try {
    result = call()
  } catch (thrown) {
    query.fail(thrown)
    throw thrown
  }
  // Only real promises: subscribing to another thenable may send the query again.
  if (result instanceof Promise) {
    result.then(
      (value: unknown) => query.end(rowsIn(value, rowsOf)),
      (reason: unknown) => query.fail(reason),
    )
  } else query.end(rowsIn(result, rowsOf))
  return result
}

function rowsIn(result: unknown, rowsOf: (result: unknown) => number | null): number | null {
  try {
    return rowsOf(result)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return null
  }
}
