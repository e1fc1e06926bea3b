// Where in the application a query or an outgoing request was made.

import { libraryRoot as ownLibraryRoot } from '../../framework/config/own-package.ts'
import { frameFile, libraryFile, normalizeRoot, type FrameFile } from '../../errors/frame-file.ts'
import { StackFrames } from '../../errors/stack-frames.ts'

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
